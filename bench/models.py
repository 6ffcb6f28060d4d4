"""Neural networks with random weights, in plain torch, for bench_models.py.

Each entry of MODELS makes (module, inputs) with fixed weights; `small` makes a narrow, shallow copy for quick checks of numbers."""

import torch
from torch import nn
from torch.nn import functional as F

# ---- convolution networks


def conv_norm(a, b, kernel, stride=1, groups=1, act=None):
    layers = [nn.Conv2d(a, b, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(b)]
    return nn.Sequential(*layers, act() if act else nn.Identity())


class Residual(nn.Module):
    def __init__(self, a, b, stride):
        super().__init__()
        self.one = conv_norm(a, b, 3, stride, act=nn.ReLU)
        self.two = conv_norm(b, b, 3)
        self.shortcut = conv_norm(a, b, 1, stride) if stride > 1 or a != b else nn.Identity()

    def forward(self, x):
        return F.relu(self.two(self.one(x)) + self.shortcut(x))


def resnet18(width=64, classes=1000):
    layers = [conv_norm(3, width, 7, 2, act=nn.ReLU), nn.MaxPool2d(3, 2, 1)]
    for stage in range(4):
        a, b = width << max(stage - 1, 0), width << stage
        layers += [Residual(a, b, 2 if stage else 1), Residual(b, b, 1)]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width << 3, classes))


class Inverted(nn.Module):
    def __init__(self, a, b, stride, expand):
        super().__init__()
        wide = a * expand
        layers = [conv_norm(a, wide, 1, act=nn.ReLU6)] if expand > 1 else []
        layers += [conv_norm(wide, wide, 3, stride, wide, nn.ReLU6), conv_norm(wide, b, 1)]
        self.layers = nn.Sequential(*layers)
        self.add = stride == 1 and a == b

    def forward(self, x):
        return x + self.layers(x) if self.add else self.layers(x)


# expansion, channels, blocks, stride
MOBILENET_V2 = ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1))


def mobilenet_v2(rows=MOBILENET_V2, classes=1000):
    layers, a = [conv_norm(3, 32, 3, 2, act=nn.ReLU6)], 32
    for expand, b, blocks, stride in rows:
        for i in range(blocks):
            layers.append(Inverted(a, b, stride if i == 0 else 1, expand))
            a = b
    layers += [conv_norm(a, 1280, 1, act=nn.ReLU6), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1280, classes)]
    return nn.Sequential(*layers)


class UNet(nn.Module):
    def __init__(self, width=32, depth=4, classes=2):
        super().__init__()
        sizes = [width << i for i in range(depth + 1)]
        self.down = nn.ModuleList(self.double(a, b) for a, b in zip([3] + sizes[:-1], sizes))
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, 2) for a, b in zip(sizes[:-1], sizes[1:]))
        self.join = nn.ModuleList(self.double(2 * a, a) for a in sizes[:-1])
        self.last = nn.Conv2d(width, classes, 1)

    @staticmethod
    def double(a, b):
        return nn.Sequential(conv_norm(a, b, 3, act=nn.ReLU), conv_norm(b, b, 3, act=nn.ReLU))

    def forward(self, x):
        kept = []
        for i, block in enumerate(self.down):
            x = block(F.max_pool2d(x, 2) if i else x)
            kept.append(x)
        for i in reversed(range(len(self.up))):
            x = self.join[i](torch.cat([self.up[i](x), kept[i]], 1))
        return self.last(x)


# ---- transformers


class Attention(nn.Module):
    def __init__(self, width, heads, causal=False):
        super().__init__()
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.heads, self.causal = heads, causal

    def forward(self, x, mask=None):
        n, t, c = x.shape
        q, k, v = self.qkv(x).view(n, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        x = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=self.causal)
        return self.out(x.transpose(1, 2).reshape(n, t, c))


class Encoder(nn.Module):
    """A block with the norms before (ViT, GPT) or behind (BERT) its two parts."""

    def __init__(self, width, heads, behind=False, causal=False, tanh=False):
        super().__init__()
        self.attention = Attention(width, heads, causal)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU("tanh" if tanh else "none"), nn.Linear(4 * width, width))
        self.behind = behind

    def forward(self, x, mask=None):
        if self.behind:
            x = self.norm1(x + self.attention(x, mask))
            return self.norm2(x + self.mlp(x))
        x = x + self.attention(self.norm1(x), mask)
        return x + self.mlp(self.norm2(x))


class ViT(nn.Module):
    def __init__(self, width=768, heads=12, depth=12, image=224, patch=16, classes=1000):
        super().__init__()
        self.patches = nn.Conv2d(3, width, patch, patch)
        self.first = nn.Parameter(torch.randn(1, 1, width) * 0.02)
        self.position = nn.Parameter(torch.randn(1, (image // patch) ** 2 + 1, width) * 0.02)
        self.blocks = nn.ModuleList(Encoder(width, heads) for _ in range(depth))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, classes)

    def forward(self, image):
        x = self.patches(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(x.shape[0], -1, -1), x], 1) + self.position
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


class BERT(nn.Module):
    def __init__(self, width=768, heads=12, depth=12, words=30522, length=512):
        super().__init__()
        self.words, self.positions, self.kinds = nn.Embedding(words, width), nn.Embedding(length, width), nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width)
        self.blocks = nn.ModuleList(Encoder(width, heads, behind=True) for _ in range(depth))
        self.pool = nn.Linear(width, width)

    def forward(self, ids, attended):
        x = self.words(ids) + self.positions(torch.arange(ids.shape[1])) + self.kinds(torch.zeros_like(ids))
        x = self.norm(x)
        mask = attended[:, None, None, :]
        for block in self.blocks:
            x = block(x, mask)
        return x, torch.tanh(self.pool(x[:, 0]))


class GPT2(nn.Module):
    """A prompt as a whole."""

    def __init__(self, width=768, heads=12, depth=12, words=50257, length=1024):
        super().__init__()
        self.words, self.positions = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Encoder(width, heads, causal=True, tanh=True) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        self.heads, self.width = heads, width

    def forward(self, ids):
        x = self.words(ids) + self.positions(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.words.weight.t()


class GPT2Decode(nn.Module):
    """One more word; keys and values of those before are in two tensors for each layer, as in transformers' static cache."""

    def __init__(self, model, batch, cached):
        super().__init__()
        self.model = model
        shape, dtype = (batch, model.heads, cached, model.width // model.heads), model.norm.weight.dtype
        self.cached = cached
        for i in range(len(model.blocks)):
            self.register_buffer(f"keys{i}", torch.randn(shape).to(dtype))
            self.register_buffer(f"values{i}", torch.randn(shape).to(dtype))

    def forward(self, ids, position):
        model, n = self.model, ids.shape[0]
        x = model.words(ids) + model.positions(position)
        seen = (torch.arange(self.cached) <= position)[None, None, None, :]
        for i, block in enumerate(model.blocks):
            q, k, v = block.attention.qkv(block.norm1(x)).view(n, 1, 3, model.heads, -1).permute(2, 0, 3, 1, 4)
            keys, values = getattr(self, f"keys{i}"), getattr(self, f"values{i}")
            keys.index_copy_(2, position, k)
            values.index_copy_(2, position, v)
            a = F.scaled_dot_product_attention(q, keys, values, attn_mask=seen)
            x = x + block.attention.out(a.transpose(1, 2).reshape(n, 1, -1))
            x = x + block.mlp(block.norm2(x))
        return model.norm(x) @ model.words.weight.t()


class LlamaBlock(nn.Module):
    def __init__(self, width, heads, kv_heads, hidden, batch, cached):
        super().__init__()
        self.size, self.kv_heads, self.heads = width // heads, kv_heads, heads
        self.norm1, self.norm2 = nn.RMSNorm(width, 1e-5), nn.RMSNorm(width, 1e-5)
        self.q = nn.Linear(width, width, bias=False)
        self.k, self.v = (nn.Linear(width, kv_heads * self.size, bias=False) for _ in range(2))
        self.o = nn.Linear(width, width, bias=False)
        self.gate, self.up = (nn.Linear(width, hidden, bias=False) for _ in range(2))
        self.down = nn.Linear(hidden, width, bias=False)
        self.register_buffer("keys", torch.randn(batch, kv_heads, cached, self.size))
        self.register_buffer("values", torch.randn(batch, kv_heads, cached, self.size))

    @staticmethod
    def rotate(x, cos, sin):
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat([-b, a], -1) * sin

    def forward(self, x, position, cos, sin, seen):
        n, y = x.shape[0], self.norm1(x)
        q = self.rotate(self.q(y).view(n, 1, self.heads, self.size).transpose(1, 2), cos, sin)
        k = self.rotate(self.k(y).view(n, 1, self.kv_heads, self.size).transpose(1, 2), cos, sin)
        v = self.v(y).view(n, 1, self.kv_heads, self.size).transpose(1, 2)
        self.keys.index_copy_(2, position, k)
        self.values.index_copy_(2, position, v)
        a = F.scaled_dot_product_attention(q, self.keys, self.values, attn_mask=seen, enable_gqa=True)
        x = x + self.o(a.transpose(1, 2).reshape(n, 1, -1))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    """One word with a cache: rotary embedding, RMS norms, heads in groups, gated MLP."""

    def __init__(self, batch, width=1024, heads=16, kv_heads=4, hidden=2816, depth=8, words=32000, cached=512):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.blocks = nn.ModuleList(LlamaBlock(width, heads, kv_heads, hidden, batch, cached) for _ in range(depth))
        self.norm, self.head = nn.RMSNorm(width, 1e-5), nn.Linear(width, words, bias=False)
        half = width // heads // 2
        self.register_buffer("rates", 10000.0 ** (-torch.arange(half) / half))
        self.cached = cached

    def forward(self, ids, position):
        angles = position[:, None].float() * self.rates.float()[None, :]
        angles = torch.cat([angles, angles], -1)
        x = self.words(ids)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        seen = (torch.arange(self.cached) <= position)[None, None, None, :]
        for block in self.blocks:
            x = block(x, position, cos, sin, seen)
        return self.head(self.norm(x))


# ---- recurrent


class LSTM(nn.Module):
    def __init__(self, width=512, layers=2):
        super().__init__()
        self.lstm = nn.LSTM(width, width, layers, batch_first=True)

    def forward(self, x):
        return self.lstm(x)[0]


# ---- the table


def settle(model):
    """Statistics of batch norm as after training: not 0 and 1, which would hide a missing fold."""
    for m in model.modules():
        if isinstance(m, nn.BatchNorm2d):
            with torch.no_grad():
                m.running_mean.normal_(0, 0.1)
                m.running_var.uniform_(0.5, 1.5)
                m.weight.uniform_(0.5, 1.5)
                m.bias.normal_(0, 0.1)
        if isinstance(m, nn.Embedding):
            nn.init.normal_(m.weight, std=0.05)
    return model.eval()


def image(n, side):
    return torch.randn(n, 3, side, side)


def ids(n, length, words):
    return torch.randint(0, words, (n, length))


def attended(n, length):
    """Additive: the last words of every sequence but the first are padding."""
    rows = torch.arange(length)[None, :] < length - 7 * torch.arange(n)[:, None] - 3
    return torch.where(rows, 0.0, -10000.0)


def position(cached):
    return torch.tensor([cached * 3 // 4])


def gpt2_decode(n, dtype, small):
    model = GPT2(64, 4, 2, 500) if small else GPT2()
    cached = 48 if small else 256
    return GPT2Decode(model.to(dtype), n, cached), (ids(n, 1, 500), position(cached))


def llama(n, dtype, small):
    del dtype
    model = Llama(n, 64, 4, 2, 160, 2, 500, 48) if small else Llama(n)
    return model, (ids(n, 1, 500), position(model.cached))


# name: batch, type, small -> module, inputs
MODELS = {
    "resnet18": lambda n, dtype, small: (resnet18(16, 10) if small else resnet18(), (image(n, 64 if small else 224),)),
    "mobilenet": lambda n, dtype, small: (mobilenet_v2(MOBILENET_V2[:3] if small else MOBILENET_V2), (image(n, 64 if small else 224),)),
    "vit": lambda n, dtype, small: (ViT(64, 4, 2, 64) if small else ViT(), (image(n, 64 if small else 224),)),
    "bert": lambda n, dtype, small: (BERT(64, 4, 2, 500) if small else BERT(), (ids(n, 31 if small else 128, 500), attended(n, 31 if small else 128))),
    "gpt2": lambda n, dtype, small: (GPT2(64, 4, 2, 500) if small else GPT2(), (ids(n, 31 if small else 128, 500),)),
    "gpt2-decode": gpt2_decode,
    "llama-decode": llama,
    "unet": lambda n, dtype, small: (UNet(8, 2) if small else UNet(), (image(n, 64 if small else 256),)),
    "lstm": lambda n, dtype, small: (LSTM(32 if small else 512), (torch.randn(n, 64, 32 if small else 512),)),
}


def make(name, batch=1, dtype=torch.float32, small=False):
    torch.manual_seed(7)
    module, inputs = MODELS[name](batch, dtype, small)
    inputs = tuple(x.to(dtype) if x.is_floating_point() else x for x in inputs)
    return settle(module).to(dtype), inputs
