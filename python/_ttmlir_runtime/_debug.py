"""Settings of the runtime. Each is a singleton: the first get() fixes its values."""

from ._types import DistributedMode, MemoryLogLevel


class _Settings:
    """A singleton whose fields are the arguments of the first get()."""

    fields = {}
    _instance = None

    @classmethod
    def get(cls, *values, **named):
        if cls._instance is None:
            unknown = set(named) - set(cls.fields)
            if unknown or len(values) > len(cls.fields):
                raise TypeError(f"{cls.__name__}.get() takes {', '.join(cls.fields) or 'nothing'}; "
                                f"not {', '.join(sorted(unknown)) or f'{len(values)} values'}")
            self = cls._instance = cls()
            vars(self).update(cls.fields, **dict(zip(cls.fields, values)), **named)
        return cls._instance

    def __str__(self):
        lines = "".join(f"\t{name}: {getattr(self, name)}\n" for name in self.fields)
        return f"{type(self).__name__}{{\n{lines}}}"


class DebugEnv(_Settings):
    """Debug settings of tt-mlir's runtime. Kernels are not generated at run time here, so the settings of their files
    have no effect."""

    fields = dict(dump_kernels=False, load_kernels=False, use_loc_for_kernel_name=False, kernel_source_dir="",
                  device_address_validation=False, blocking_cq=False)


class PerfEnv(_Settings):
    """Settings of measurements; `ttrt perf` measures."""

    fields = dict(dump_device_rate=1000, enable_perf_trace=False, tracy_program_metadata="")

    def set_program_metadata(self, metadata):
        self.tracy_program_metadata = metadata

    def _log(self, *_):
        """Messages for Tracy, which is not attached."""

    tracy_log_op_location = tracy_log_const_eval_program = tracy_log_program_metadata = tracy_log_input_layout_conversion = _log


class WorkaroundEnv(_Settings):
    """The embedded device needs no workarounds."""


class DebugStats:
    """Counters by name."""

    _instance = None

    def __init__(self):
        self._counts = {}

    @classmethod
    def get(cls):
        cls._instance = cls._instance or cls()
        return cls._instance

    def increment_stat(self, stat, value=1):
        self._counts[stat] = self._counts.get(stat, 0) + value

    def get_stat(self, stat):
        return self._counts.get(stat, 0)

    def remove_stat(self, stat):
        self._counts.pop(stat, None)

    def clear(self):
        self._counts.clear()

    def __str__(self):
        return "DebugStats{\n" + "".join(f"\t{k}: {v}\n" for k, v in sorted(self._counts.items())) + "}"


class DistributedOptions:
    """Options for launching several hosts; there is only one."""

    def __init__(self):
        self.controller_port, self.mode = 0, DistributedMode.LocalSubprocess
        self.worker_path = self.multi_process_args = None


class MultiProcessArgs:
    """Arguments of tt-run, which starts a process on each host: each with_* sets one and gives the object. They are text only;
    the local host runtime starts no process."""

    def __init__(self, rank_binding_path):
        self._rank_binding_path = _path(rank_binding_path, "rank_binding_path")
        self._hosts, self._files, self._mca, self._flags, self._extra = [], {}, {}, {}, []
        self._controller = self._interface = self._tracy = None

    @staticmethod
    def create(rank_binding_path):
        return MultiProcessArgs(rank_binding_path)

    def get_rank_binding_path(self):
        return self._rank_binding_path

    def with_hosts(self, hosts):
        if not hosts:
            raise ValueError("MultiProcessArgs.with_hosts: expected names of hosts, found none")
        self._hosts = [str(host) for host in hosts]
        return self

    def with_hosts_file_path(self, path):
        self._files["--hostfile"] = _path(path, "path")
        return self

    def with_rank_file_path(self, path):
        self._files["--rankfile"] = _path(path, "path")
        return self

    def with_mca_options(self, mca_options):
        self._mca = {str(key): str(value) for key, value in dict(mca_options).items()}
        return self

    def with_tag_output(self, tag_output=True):
        self._flags["--tag-output"] = bool(tag_output)
        return self

    def with_allow_run_as_root(self, allow_run_as_root=True):
        self._flags["--allow-run-as-root"] = bool(allow_run_as_root)
        return self

    def with_extra_mpi_args(self, args):
        self._extra = [str(arg) for arg in args]
        return self

    def with_controller_hostname(self, hostname):
        self._controller = str(hostname)
        return self

    def with_tcp_interface(self, interface_name):
        self._interface = str(interface_name)
        return self

    def with_tracy(self, enabled=True):
        self._tracy = (self._tracy or []) if enabled else None
        return self

    def with_tracy_args(self, args):
        self._tracy = [str(arg) for arg in args]
        return self

    def to_arg_string(self):
        """The arguments as tt-run's command line has them."""
        mpi = ["--host " + ",".join(self._hosts)] if self._hosts else []
        mpi += [f"{name} {self._files[name]}" for name in ("--hostfile", "--rankfile") if name in self._files]
        mpi += [f"--mca {key} {value}" for key, value in sorted(self._mca.items())]
        mpi += [name for name in ("--tag-output", "--allow-run-as-root") if self._flags.get(name)]
        parts = ["--rank-binding " + self._rank_binding_path]
        parts += ["--tcp-interface " + self._interface] if self._interface is not None else []
        parts += ['--tracy "' + " ".join(self._tracy) + '"'] if self._tracy is not None else []
        return " ".join([*parts, '--mpi-args "' + " ".join(mpi + self._extra) + '"'])


def _path(value, name):
    if not str(value):
        raise ValueError(f"MultiProcessArgs: argument '{name}': expected the path of a file, found an empty one")
    return str(value)


class Event:
    """Something to wait for: what programs do has happened when submit() returns, so that nothing makes one."""

    def __init__(self):
        raise TypeError("_ttmlir_runtime.runtime.Event cannot be made: submit() returns when its program has run")


class WorkerDebugStatsEntry:
    """The counters of a host's worker."""

    def __init__(self, hostname, stats):
        self.hostname, self.stats = hostname, stats


def launch_distributed_runtime(options=None):
    raise NotImplementedError("several hosts are not supported; the local host runtime runs programs")


def shutdown_distributed_runtime():
    raise RuntimeError("no distributed runtime has been launched")


def get_worker_debug_stats():
    return []


def set_memory_log_level(log_level):
    """Memory is reported by Device.get_memory_view() and hooks; the level is only checked."""
    if not isinstance(log_level, MemoryLogLevel):
        raise TypeError(f"expected a MemoryLogLevel, not {log_level!r}")


def set_mlir_home(mlir_home):
    """No effect: the library finds its own files."""


def set_metal_home(metal_home):
    """No effect: programs need no files of tt-metal."""
