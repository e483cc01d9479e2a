"""A host on AXI4-Lite in Amaranth's simulator: each channel stalls, and payloads without valid are noise."""

from amaranth.lib import data


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
