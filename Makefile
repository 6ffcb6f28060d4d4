# The door: `make`, `make demo`, `make check`, `make bench`, `make asan`.  Meson does the work.
BUILD ?= build
.PHONY: all
all: $(BUILD)/build.ninja
	@ninja -C $(BUILD) --quiet
$(BUILD)/build.ninja:
	@meson setup $(BUILD) --buildtype=release $(MESONFLAGS) >/dev/null || meson setup $(BUILD) --buildtype=release $(MESONFLAGS)
