# SPDX-License-Identifier: MIT
#
# The hot-spot table of mcuprof, sorted and with names, in any gdb that has
# the firmware's ELF: only gdb's own commands are used.
#
#   (gdb) source mcuprof_hotspots.gdb
#   (gdb) mcuprof-hotspots
#
# Halt the core first, anywhere.

# One reading of the target. gdb has no arrays of its own, so each unit's
# weight gets a name.
define mcuprof-hotspots-read
  set $_mp_count = sizeof(mcuprof_hotspots) / sizeof(mcuprof_hotspots[0])
  set $_mp_sum = 0.0
  set $_mp_i = 0
  while $_mp_i < $_mp_count
    set $_mp_weight = mcuprof_hotspots[$_mp_i].weight
    set $_mp_sum = $_mp_sum + $_mp_weight
    eval "set $_mp_weight%d = $_mp_weight", $_mp_i
    set $_mp_i = $_mp_i + 1
  end
end

# The heaviest unit's number into $_mp_best, and out of the running with it;
# -1 if none is left.
define mcuprof-hotspots-take
  set $_mp_best = -1
  set $_mp_most = 0
  set $_mp_i = 0
  while $_mp_i < $_mp_count
    eval "set $_mp_weight = $_mp_weight%d", $_mp_i
    if $_mp_weight > $_mp_most
      set $_mp_best = $_mp_i
      set $_mp_most = $_mp_weight
    end
    set $_mp_i = $_mp_i + 1
  end
  if $_mp_best >= 0
    eval "set $_mp_weight%d = 0", $_mp_best
    set $_mp_unit = mcuprof_hotspots[$_mp_best]
  end
end

# Where the unit taken is. Names of C++ are told only while print asm-demangle
# is on; before gdb 9 it cannot be asked whether it was, and is off by default.
define mcuprof-hotspots-place
  set $_mp_mangles = 1
  if ! $_isvoid($_gdb_setting)
    set $_mp_mangles = ! $_gdb_setting("print asm-demangle")
  end
  set print asm-demangle on
  output/a $_mp_unit.pc
  printf "  "
  info line *$_mp_unit.pc
  if $_mp_mangles
    set print asm-demangle off
  end
end

define mcuprof-hotspots
  mcuprof-hotspots-read
  if $_mp_sum == 0
    printf "mcuprof: nothing was sampled yet: has mcuprof_start() returned 0, and does the handler run?\n"
  else
    if mcuprof_hotspots_view.sequence > 1
      printf "%u samples and %u ignored ones until the last view; now:\n", mcuprof_hotspots_view.samples, mcuprof_hotspots_view.ignored
    end
    printf "   share  at least  one address of the block, and its source line\n"
    mcuprof-hotspots-take
    while $_mp_best >= 0
      printf "%6.1f %%  %6.1f %%  ", 100.0 * $_mp_most / $_mp_sum, 100.0 * ($_mp_most - $_mp_unit.error) / $_mp_sum
      mcuprof-hotspots-place
      mcuprof-hotspots-take
    end
  end
end

document mcuprof-hotspots
Print the hot-spot table as it is now, the hottest block of code first.

share     The block's part of the samples. What is old counts less: a sample
          weighs half when MCUPROF_HOTSPOT_HALF_LIFE others have come.
at least  The block's true part is between this and `share`.
address   Where more than half of the block's samples were, or else a late
          one. The block is MCUPROF_HOTSPOT_GRAIN bytes long, and another
          function in it may have some of its samples.

Samples that the firmware was told to ignore are in no share. Units that are
not in use are not printed. A sample that is being taken at the moment of the
halt may or may not be in it.
end
