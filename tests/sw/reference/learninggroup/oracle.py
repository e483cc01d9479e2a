"""IC3Net in PyTorch, written from its equations: gradients by autograd in double precision."""

import numpy as np
import torch


def select(values, dim):
    """One-hot of the maxima (ties: lowest index), the gradient passing straight through."""
    hot = torch.zeros_like(values).scatter_(
        dim, torch.from_numpy(np.argmax(values.detach().numpy(), dim)).unsqueeze(dim), 1
    )
    return hot + values - values.detach()


def effective(parameters, name, dense):
    """A layer's masked weights."""
    inputs = select(parameters[f"input_grouping/{name}"], 1)
    outputs = select(parameters[f"output_grouping/{name}"], 0)
    mask = inputs @ outputs
    if not dense:
        mask = mask.detach() * mask
    return parameters[f"weight/{name}"] * mask


def loss_and_gradients(parameters, observations, policy, gate, returns, scales, value_coefficient, dense):
    """The loss of an iteration whose actions are known, the values, and the gradients of all parameters.

    Parameters
    ----------
    parameters : dict of array
    observations : array (steps, episodes, agents, elements)
    policy, gate : array of int (steps, episodes, agents)
    returns, scales : array (steps, episodes, agents)
    """
    parameters = {
        name: torch.tensor(value, dtype=torch.float64, requires_grad=True) for name, value in parameters.items()
    }
    names = {name.split("/")[1] for name in parameters}
    weights = {name: effective(parameters, name, dense) for name in names}
    biases = {name.split("/")[1]: value for name, value in parameters.items() if name.startswith("bias")}
    steps, episodes, agents, _ = observations.shape
    hidden_size = weights["communication"].shape[0]
    h = c = torch.zeros(episodes, agents, hidden_size, dtype=torch.float64)
    spoke = torch.ones(episodes, agents, 1, dtype=torch.float64)
    loss, values = 0, []
    for t in range(steps):
        said = h * spoke
        heard = torch.stack(
            [said[:, [i for i in range(agents) if i != j]].sum(1) / max(agents - 1, 1) for j in range(agents)], 1
        )
        x = torch.tensor(observations[t], dtype=torch.float64) @ weights["encoder"] + heard @ weights["communication"]
        x = x + biases["encoder"]
        i, f, g, o = (x @ weights["input"] + h @ weights["hidden"] + biases["input"]).chunk(4, -1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        logits = {head: h @ weights[head] + biases[head] for head in ("policy", "gate", "value")}
        value, target = logits["value"][..., 0], torch.tensor(returns[t], dtype=torch.float64)
        values.append(value.detach().numpy())
        chosen = 0
        for head, action in (("policy", policy[t]), ("gate", gate[t])):
            logs = logits[head].log_softmax(-1)
            chosen = chosen + logs.gather(-1, torch.tensor(action)[..., None])[..., 0]
        each = -chosen * (target - value.detach()) + value_coefficient * (value - target) ** 2
        loss = loss + (each * torch.tensor(scales[t], dtype=torch.float64)).sum()
        spoke = torch.tensor(gate[t], dtype=torch.float64)[..., None]
    loss.backward()
    return loss.item(), np.array(values), {name: value.grad.numpy() for name, value in parameters.items()}
