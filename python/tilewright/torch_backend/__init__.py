"""torch.compile(model, backend="tt")."""

import torch._dynamo.config

from .backend import tt

# torch's tracer leaves LSTM, GRU and RNN modules to eager execution unless this is set; here they
# are unrolled over time by torch's own decompositions.
torch._dynamo.config.allow_rnn = True

__all__ = ["tt"]
