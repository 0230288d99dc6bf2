#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the zoo: one firmware by many compilers, flags and linkers.

    zoo_build.py FOLDER [VARIANT...]

Each variant becomes FOLDER/VARIANT/zoo.elf. The sources are copied to
FOLDER/zoo first, and compiled in the variant's folder.
"""

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

SOURCES = Path(__file__).resolve().parent / "zoo"
GCC = "arm-none-eabi-gcc"
CLANG = "clang --target=arm-none-eabi -ffreestanding"
CPP = "-std=c++17 -fno-exceptions -fno-rtti"
HIGH = 0x08000000


@dataclass
class Variant:
    """One way to build. Variants of one family have the same code, so that
    every answer must be the same in all of them."""
    name: str
    compiler: str                # and flags; "" takes the objects of another
    family: str = ""             # the name if empty
    objects: str = ""            # whose objects are linked
    link: str = ""               # more flags for the linker
    linker: str = "bfd"
    gc: bool = True
    flash: int = 0
    first: str = ""              # input section in front of the vectors
    cpu: str = "cortex-m3"
    relative: bool = False       # sources named by a relative path
    per_source: dict = None      # flags for single sources
    after: str = ""              # what is done to the linked file
    lacks: str = ""              # inlines, debug info, or the same lines

    def __post_init__(self):
        self.family = self.family or self.name
        self.objects = self.objects or self.name


O2 = GCC + " -O2 "
O2_5 = "gcc-O2-dw5"
MIXED = {"zoo_list.c": GCC + " -O2 -gdwarf-2",
         "zoo_state.c": GCC + " -O2 -gdwarf-3",
         "zoo_dead.c": GCC + " -O2 -gdwarf-4",
         "zoo_shapes.cpp": CLANG + " -O2 -gdwarf-4",
         "zoo_start.c": CLANG + " -O2 -gdwarf-5"}

VARIANTS = [
    Variant("gcc-O2-dw2", O2 + "-gdwarf-2", "gcc-O2"),
    Variant("gcc-O2-dw3", O2 + "-gdwarf-3", "gcc-O2"),
    Variant("gcc-O2-dw4", O2 + "-gdwarf-4", "gcc-O2"),
    Variant(O2_5, O2 + "-gdwarf-5", "gcc-O2"),
    Variant("gcc-O2-types", O2 + "-gdwarf-4 -fdebug-types-section", "gcc-O2"),
    Variant("gcc-O2-gz", "", "gcc-O2", O2_5,
            "-Wl,--compress-debug-sections=zlib"),
    Variant("gcc-O2-zdebug", "", "gcc-O2", "gcc-O2-dw4",
            "-Wl,--compress-debug-sections=zlib-gnu"),
    Variant("gcc-O2-relocs", "", "gcc-O2", O2_5, "-Wl,--emit-relocs"),
    Variant("gcc-O2-split4", O2 + "-gdwarf-4 -gsplit-dwarf", "gcc-O2",
            relative=True),
    Variant("gcc-O2-split5", O2 + "-gdwarf-5 -gsplit-dwarf", "gcc-O2",
            relative=True),
    Variant("gcc-O2-no-dwo", O2 + "-gdwarf-5 -gsplit-dwarf", "gcc-O2",
            relative=True, after="no-dwo", lacks="inlines"),
    Variant("gcc-O2-debuglink", "", "gcc-O2", O2_5, after="debuglink"),
    Variant("gcc-O2-apart", "", "gcc-O2", "gcc-O2-dw4", after="apart"),
    Variant("gcc-O2-bare", "", "gcc-O2", O2_5, "-Wl,--strip-debug",
            lacks="debug info"),
    Variant("gcc-O2-g1", O2 + "-g1", "gcc-O2", lacks="lines"),
    Variant("gcc-O2-high", "", "", O2_5, flash=HIGH),
    Variant("gcc-O2-all", "", "", O2_5, gc=False),
    Variant("gcc-O2-first", "", "", "gcc-O2-dw4",
            first="*(.text.zoo_digest)"),
    Variant("gcc-O0", GCC + " -O0 -gdwarf-4"),
    Variant("gcc-Os", GCC + " -Os -gdwarf-4"),
    Variant("gcc-O3", GCC + " -O3 -gdwarf-5"),
    Variant("gcc-m0", GCC + " -Os -gdwarf-5", cpu="cortex-m0"),
    Variant("gcc-lto", GCC + " -O2 -flto -gdwarf-5",
            link="-O2 -flto -flto-partition=max -gdwarf-5"),
    Variant("gcc-lto-O0", GCC + " -O0 -flto -gdwarf-4",
            link="-O0 -flto -gdwarf-4"),
    Variant("mixed", O2 + "-gdwarf-5", relative=True, per_source=MIXED),
    Variant("clang-O2-dw4", CLANG + " -O2 -gdwarf-4", "clang-O2"),
    Variant("clang-O2-dw5", CLANG + " -O2 -gdwarf-5", "clang-O2"),
    Variant("clang-O2-split", CLANG + " -O2 -gdwarf-5 -gsplit-dwarf",
            "clang-O2", relative=True),
    Variant("clang-O0", CLANG + " -O0 -gdwarf-5"),
    Variant("clang-lld", "", "clang-lld", "clang-O2-dw5", linker="lld"),
    Variant("clang-lld-high", "", "", "clang-O2-dw5", linker="lld",
            flash=HIGH),
    Variant("clang-lld-end", "", "clang-lld", "clang-O2-dw5",
            "-z dead-reloc-in-nonalloc=.debug_*=0xffffffff", linker="lld"),
    Variant("clang-Os-lld", CLANG + " -Os -gdwarf-4", linker="lld"),
    Variant("clang-cold", CLANG + " -O2 -gdwarf-4 -mllvm -hot-cold-split "
            "-mllvm -hotcoldsplit-threshold=-10", linker="lld"),
]


def run(command, folder):
    done = subprocess.run(command.split(), cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    if done.returncode:
        raise SystemExit(f"{folder.name}: {command}\n{done.stdout}")
    return done.stdout


class Zoo:
    """The folder that everything is built in."""

    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        self.sources = self.folder / "zoo"
        shutil.rmtree(self.sources, ignore_errors=True)
        shutil.copytree(SOURCES, self.sources)

    def place(self, name):
        return self.folder / name

    def compile(self, variant):
        """The objects of a variant, in its folder."""
        folder = self.place(variant.name)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        prefix = "../zoo" if variant.relative else str(self.sources)
        groups = {}
        for source in sorted(self.sources.iterdir()):
            if source.suffix in (".c", ".cpp", ".S"):
                flags = (variant.per_source or {}).get(source.name,
                                                       variant.compiler)
                groups.setdefault((flags, source.suffix), []).append(
                        f"{prefix}/{source.name}")
        for (flags, suffix), names in groups.items():
            flags = flags.replace("-gsplit-dwarf", "") if suffix == ".S" \
                else flags
            run(f"{flags} -mcpu={variant.cpu} -mthumb -ffunction-sections "
                f"-fdata-sections {CPP if suffix == '.cpp' else ''} "
                f"-c {' '.join(names)}", folder)

    def link(self, variant):
        folder = self.place(variant.name)
        folder.mkdir(parents=True, exist_ok=True)
        script = (self.sources / "zoo.ld").read_text()
        script = script.replace("@FLASH@", hex(variant.flash))
        (folder / "zoo.ld").write_text(
                script.replace("@FIRST@", variant.first))
        objects = " ".join(str(path) for path in sorted(
                self.place(variant.objects).glob("*.o")))
        collect = "--gc-sections" if variant.gc else "--no-gc-sections"
        if variant.linker == "lld":
            libgcc = run(f"{GCC} -mcpu={variant.cpu} -mthumb "
                         "-print-libgcc-file-name", folder).strip()
            run(f"ld.lld {collect} -T zoo.ld {objects} {libgcc} "
                f"{variant.link} -o zoo.elf", folder)
        else:
            run(f"{GCC} -mcpu={variant.cpu} -mthumb -nostdlib "
                f"-Wl,{collect},--no-warn-rwx-segments,--no-warnings "
                f"-T zoo.ld {objects} -lgcc {variant.link} -o zoo.elf", folder)
        getattr(self, "after_" + variant.after.replace("-", "_"),
                lambda _: None)(folder)

    @staticmethod
    def after_no_dwo(folder):
        for path in folder.glob("*.dwo"):
            path.unlink()

    @staticmethod
    def after_debuglink(folder, strip="--strip-all"):
        objcopy = "arm-none-eabi-objcopy"
        run(f"{objcopy} --only-keep-debug zoo.elf zoo.debug", folder)
        run(f"{objcopy} {strip} --add-gnu-debuglink=zoo.debug zoo.elf", folder)

    def after_apart(self, folder):
        self.after_debuglink(folder, "--strip-debug")

    def build(self, names):
        chosen = [v for v in VARIANTS if not names or v.name in names]
        needed = {v.objects for v in chosen}
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(self.compile,
                          [v for v in VARIANTS if v.name in needed]))
            list(pool.map(self.link, chosen))
        return chosen


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    Zoo(sys.argv[1]).build(sys.argv[2:])
