"""A host on AXI4-Lite in Amaranth's simulator: each channel stalls, and payloads without valid are noise."""

from amaranth.lib import data

from rewardware.hw.soc.bus.axi_lite import Response


async def exchange(ctx, random, requests, answers):
    """Send requests and take the answer, each channel from a cycle of its own on; what was answered."""
    begin = {channel: int(random.integers(4)) for channel in (*requests, answers)}
    left = list(requests)
    for cycle in range(20):
        for channel, payload in requests.items():
            valid = channel in left and cycle >= begin[channel]
            ctx.set(channel.valid, valid)
            # Without valid a payload means nothing.
            ctx.set(channel.payload, payload if valid else random_payload(random, channel))
        ctx.set(answers.ready, cycle >= begin[answers])
        sampled = [channel.valid & channel.ready for channel in (*requests, answers)]
        _, _, answer, *taken = await ctx.tick().sample(answers.payload, *sampled)
        left = [
            channel for channel, was_taken in zip(requests, taken, strict=False) if channel in left and not was_taken
        ]
        if taken[-1]:
            assert not left, "answered before it was asked"
            for channel in requests:
                ctx.set(channel.valid, 0)
            ctx.set(answers.ready, 0)
            return answer
    raise AssertionError("no answer")


def random_payload(random, channel):
    if isinstance(channel.payload, data.View):
        return {"data": int(random.integers(1 << 32)), "strobe": int(random.integers(16))}
    return int(random.integers(1 << len(channel.payload)))


async def answer_anyhow(ctx, random, slaves, seen):
    """Be the registers of slaves by name: other answers in every cycle, of which those with an access count.

    Accesses are added to ``seen``: the slave, the word's address, what was written or read, and whether well.
    """
    while True:
        given = {name: random.integers((2, 2, 1 << 32)).tolist() for name in slaves}
        sampled = []
        for name, slave in slaves.items():
            write, read = slave.write, slave.read
            for port, value in zip((write.okay, read.okay, read.data), given[name], strict=True):
                ctx.set(port, value)
            sampled += [write.enable, write.address, write.data, write.strobe, read.enable, read.address]
        _, _, *values = await ctx.tick().sample(*sampled)
        for place, (name, (write_okay, read_okay, word)) in enumerate(given.items()):
            writes, address, *written, reads, read_address = values[6 * place : 6 * place + 6]
            if writes:
                seen.append((name, address, "write", *written, write_okay))
            if reads:
                seen.append((name, read_address, "read", word, read_okay))


async def access(ctx, random, control):
    """Write or read at random; the address, and the rest of what the slave must have seen."""
    address = random_payload(random, control.read_address)
    if random.random() < 0.5:
        got = await exchange(ctx, random, {control.read_address: address}, control.read_data)
        return address, ("read", got.data, got.response == Response.OKAY)
    payload = random_payload(random, control.write_data)
    requests = {control.write_address: address, control.write_data: payload}
    got = await exchange(ctx, random, requests, control.write_response)
    return address, ("write", payload["data"], payload["strobe"], got == Response.OKAY)
