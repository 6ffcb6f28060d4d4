"""Models in plain torch, with random weights, that the front end must support."""

import math

import torch
import torch.nn.functional as F
from torch import nn


class BasicBlock(nn.Module):
    def __init__(self, ins, outs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(ins, outs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outs)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(outs, outs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outs)
        self.down = None
        if stride != 1 or ins != outs:
            self.down = nn.Sequential(
                nn.Conv2d(ins, outs, 1, stride, bias=False), nn.BatchNorm2d(outs)
            )

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        y = self.bn2(self.conv2(y))
        y += x if self.down is None else self.down(x)
        return self.relu(y)


class ResNet18(nn.Module):
    def __init__(self, classes=1000, width=64):
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        stages, ins = [], width
        for i in range(4):
            outs = width << i
            stages.append(
                nn.Sequential(BasicBlock(ins, outs, 1 + (i > 0)), BasicBlock(outs, outs, 1))
            )
            ins = outs
        self.layers = nn.Sequential(*stages)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(ins, classes)
        for module in self.modules():
            if isinstance(module, nn.BatchNorm2d):
                nn.init.normal_(module.running_mean, std=0.1)
                nn.init.uniform_(module.running_var, 0.5, 1.5)

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.avgpool(self.layers(x))
        return self.fc(torch.flatten(x, 1))


class BertLayer(nn.Module):
    """Post-norm encoder layer with an additive padding mask."""

    def __init__(self, width=128, heads=4, inner=512):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.output = nn.Linear(width, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, 1e-12), nn.LayerNorm(width, 1e-12)
        self.up, self.down = nn.Linear(width, inner), nn.Linear(inner, width)
        self.dropout = nn.Dropout(0.1)

    def split(self, x):
        n, length, width = x.shape
        return x.view(n, length, self.heads, width // self.heads).transpose(1, 2)

    def forward(self, x, keep):
        mask = (1.0 - keep[:, None, None, :].to(x.dtype)) * -10000.0
        q, k, v = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]) + mask
        context = self.dropout(scores.softmax(-1)) @ v
        context = context.transpose(1, 2).reshape(x.shape)
        x = self.norm1(x + self.dropout(self.output(context)))
        return self.norm2(x + self.dropout(self.down(F.gelu(self.up(x)))))


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        y = x.float()
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + self.eps)
        return self.weight * y.to(x.dtype)


def rotate_half(x):
    a, b = x.chunk(2, -1)
    return torch.cat((-b, a), -1)


class DecoderStep(nn.Module):
    """One new token against a key and value cache, with rotary positions and gated MLP."""

    def __init__(self, width=128, heads=8, kv_heads=2, length=64, batch=2):
        super().__init__()
        self.heads, self.kv_heads, self.size = heads, kv_heads, width // heads
        self.norm1, self.norm2 = RMSNorm(width), RMSNorm(width)
        self.q = nn.Linear(width, width, bias=False)
        self.k = nn.Linear(width, kv_heads * self.size, bias=False)
        self.v = nn.Linear(width, kv_heads * self.size, bias=False)
        self.o = nn.Linear(width, width, bias=False)
        self.gate, self.up = (nn.Linear(width, 3 * width, bias=False) for _ in range(2))
        self.down = nn.Linear(3 * width, width, bias=False)
        inverse = 1.0 / (10000 ** (torch.arange(0, self.size, 2).float() / self.size))
        self.register_buffer("inverse", inverse)
        cache = torch.zeros(batch, kv_heads, length, self.size)
        self.register_buffer("keys", cache.clone())
        self.register_buffer("values", cache.clone())

    def forward(self, x, position):
        n, s, _ = x.shape
        h = self.norm1(x)
        q = self.q(h).view(n, s, self.heads, self.size).transpose(1, 2)
        k = self.k(h).view(n, s, self.kv_heads, self.size).transpose(1, 2)
        v = self.v(h).view(n, s, self.kv_heads, self.size).transpose(1, 2)
        angles = position[:, None].float() * self.inverse[None, :]
        angles = torch.cat((angles, angles), -1)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        q, k = q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
        self.keys.index_copy_(2, position, k)
        self.values.index_copy_(2, position, v)
        seen = torch.arange(self.keys.shape[2], device=x.device)[None, :] <= position[:, None]
        y = F.scaled_dot_product_attention(
            q, self.keys, self.values, attn_mask=seen[None, None], enable_gqa=True
        )
        x = x + self.o(y.transpose(1, 2).reshape(x.shape))
        h = self.norm2(x)
        return x + self.down(F.silu(self.gate(h)) * self.up(h))


class GPT(nn.Module):
    """Token and position embeddings, pre-norm blocks with causal attention, tied head."""

    def __init__(self, vocabulary=97, width=64, heads=4, layers=2, length=32):
        super().__init__()
        self.heads = heads
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(
            nn.ModuleDict(
                {
                    "norm1": nn.LayerNorm(width),
                    "qkv": nn.Linear(width, 3 * width),
                    "out": nn.Linear(width, width),
                    "norm2": nn.LayerNorm(width),
                    "up": nn.Linear(width, 4 * width),
                    "down": nn.Linear(4 * width, width),
                }
            )
            for _ in range(layers)
        )
        self.norm = nn.LayerNorm(width)

    def forward(self, ids):
        n, s = ids.shape
        x = self.tokens(ids) + self.positions(torch.arange(s, device=ids.device))
        for block in self.blocks:
            q, k, v = block["qkv"](block["norm1"](x)).chunk(3, -1)
            q, k, v = (t.view(n, s, self.heads, -1).transpose(1, 2) for t in (q, k, v))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + block["out"](y.transpose(1, 2).reshape(x.shape))
            x = x + block["down"](F.gelu(block["up"](block["norm2"](x)), approximate="tanh"))
        return self.norm(x) @ self.tokens.weight.t()


class Recurrent(nn.Module):
    def __init__(self, kind=nn.LSTM, **options):
        super().__init__()
        self.rnn = kind(16, 24, batch_first=True, **options)
        self.head = nn.Linear(24 * (1 + self.rnn.bidirectional), 5)

    def forward(self, x):
        y, _ = self.rnn(x)
        return self.head(y[:, -1])


class LeNet(nn.Module):
    """LeNet with its preprocessing: 28x28 bytes to 32x32 normalised floats."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)

    def forward(self, images):
        x = images.to(self.fc1.weight.dtype) / 255
        x = F.interpolate(x, size=(32, 32), mode="bilinear", align_corners=False)
        x = (x - 0.1307) / 0.3081
        x = F.avg_pool2d(torch.tanh(self.conv1(x)), 2)
        x = F.avg_pool2d(torch.tanh(self.conv2(x)), 2)
        x = torch.tanh(self.fc1(x.flatten(1)))
        return F.log_softmax(self.fc3(torch.tanh(self.fc2(x))), dim=-1)
