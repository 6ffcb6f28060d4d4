"""Rows for LSTM, GRU and plain recurrent layers, unrolled over time.

The products with the inputs do not depend on earlier steps, so one matmul computes them for all steps of a layer;
only the product with the state remains in the recurrence.
"""

from .rows import Unsupported, row


def layers(b, x, states, params, has_biases, num_layers, dropout, train, bidirectional, batch_first, step):
    """`step(gates_x, state, weight, bias)` returns the next state tuple, whose first member is the output. `states`
    holds one (layers, batch, hidden) value for each member of the state."""
    if train and dropout and num_layers > 1:
        raise Unsupported("dropout between recurrent layers is not supported; call .eval()")
    directions = 2 if bidirectional else 1
    per = 4 if has_biases else 2
    projected = len(params) == num_layers * directions * (per + 1)
    per += projected
    unbatched = x.rank == 2
    if unbatched:
        x = b.reshape(x, (x.shape[0], 1, x.shape[1]))
        states = [b.reshape(s, (s.shape[0], 1, s.shape[1])) for s in states]
    elif batch_first:
        x = b.transpose(x, [1, 0, 2])
    finals = [[] for _ in states]
    for layer in range(num_layers):
        outputs = []
        for direction in range(directions):
            at = layer * directions + direction
            own = params[at * per : (at + 1) * per]
            start = [b.reshape(b.slice_dim(s, 0, at, at + 1), s.shape[1:]) for s in states]
            own, projection = (own[:-1], own[-1]) if projected else (own, None)
            sequence, last = run(b, x, start, own, direction == 1, step, projection)
            outputs.append(sequence)
            for member, value in zip(finals, last):
                member.append(b.reshape(value, (1,) + value.shape))
        x = b.concat(outputs, 2)
    finals = [b.concat(member, 0) for member in finals]
    if unbatched:
        x = b.reshape(x, (x.shape[0], x.shape[2]))
        finals = [b.reshape(f, (f.shape[0], f.shape[2])) for f in finals]
    elif batch_first:
        x = b.transpose(x, [1, 0, 2])
    return (x, *finals)


def run(b, x, state, params, reverse, step, projection=None):
    """One direction of one layer over a (time, batch, features) sequence; a projection makes the output smaller than
    the cell state."""
    weight_x, weight_h, *biases = params
    gates = b.dot(x, b.transpose(weight_x, [1, 0]), ([2], [0]))
    if biases:
        gates = b.add(gates, b.broadcast_in_dim(biases[0], gates.shape, [2]))
    weight_h = b.transpose(weight_h, [1, 0])
    bias_h = biases[1] if biases else None
    if bias_h is not None:
        bias_h = b.broadcast_in_dim(bias_h, gates.shape[1:], [1])
    outputs = []
    times = range(x.shape[0])
    for t in reversed(times) if reverse else times:
        now = b.reshape(b.slice_dim(gates, 0, t, t + 1), gates.shape[1:])
        from_state = b.dot(state[0], weight_h, ([1], [0]))
        if bias_h is not None:
            from_state = b.add(from_state, bias_h)
        state = step(b, now, from_state, state)
        if projection is not None:
            state = (b.dot(state[0], projection, ([1], [1])), *state[1:])
        outputs.append(b.reshape(state[0], (1,) + state[0].shape))
    state = tuple(b.convert(v, gates.element) for v in state)
    return b.concat(outputs[::-1] if reverse else outputs, 0), state


def parts(b, x, count):
    size = x.shape[1] // count
    return [b.slice_dim(x, 1, i * size, (i + 1) * size) for i in range(count)]


def lstm_step(b, now, from_state, state):
    """The cell is f32 from step to step, as in torch's kernels for bf16: its roundings would add up."""
    element, cell = now.element, state[1]
    wide = "f32" if element in ("bf16", "f16") else element

    def gate(index, name):
        """Sums parts, not whole rows: the runtime reads parts where they are, in one step with what follows."""
        size = cell.shape[1]
        x, h = (b.convert(b.slice_dim(v, 1, index * size, (index + 1) * size), wide) for v in (now, from_state))
        return b.unary(name, b.add(x, h))

    cell = b.add(b.mul(gate(1, "logistic"), b.convert(cell, wide)), b.mul(gate(0, "logistic"), gate(2, "tanh")))
    return b.convert(b.mul(gate(3, "logistic"), b.unary("tanh", cell)), element), cell


def gru_step(b, now, from_state, state):
    reset_x, update_x, new_x = parts(b, now, 3)
    reset_h, update_h, new_h = parts(b, from_state, 3)
    reset = b.unary("logistic", b.add(reset_x, reset_h))
    update = b.unary("logistic", b.add(update_x, update_h))
    new = b.unary("tanh", b.add(new_x, b.mul(reset, new_h)))
    return (b.add(new, b.mul(update, b.sub(state[0], new))),)


def tanh_step(b, now, from_state, state):
    return (b.unary("tanh", b.add(now, from_state)),)


def relu_step(b, now, from_state, state):
    total = b.add(now, from_state)
    return (b.binary("maximum", total, b.splat(0, total.shape, total.element)),)


@row("lstm.input")
def lstm(b, out, x, states, *options):
    return layers(b, x, list(states), *options, lstm_step)


def single_state(step):
    def layer(b, out, x, state, *options):
        return layers(b, x, [state], *options, step)

    return layer


for name, step in (("gru", gru_step), ("rnn_tanh", tanh_step), ("rnn_relu", relu_step)):
    row(f"{name}.input")(single_state(step))


@row("mkldnn_rnn_layer")
def one_layer(b, out, x, w0, w1, w2, w3, h, c, reverse, batch_sizes, mode, hidden, count, has_biases, *options):
    """One direction of one LSTM layer; torch's own step of an LSTM under autocast."""
    params = [w0, w1, w2, w3] if has_biases else [w0, w1]
    state = [b.reshape(s, s.shape[-2:]) for s in (h, c)]
    sequence, last = run(b, x, state, params, reverse, lstm_step)
    finals = [b.reshape(s, tuple(int(n) for n in o.shape)) for s, o in zip(last, out[1:3])]
    return (sequence, *finals, None)
