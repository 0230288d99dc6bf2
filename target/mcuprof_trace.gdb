# SPDX-License-Identifier: MIT
#
# The call ring of mcuprof into a file, in any gdb that has the firmware's ELF:
# only gdb's own commands are used.
#
#   (gdb) source mcuprof_trace.gdb
#   (gdb) mcuprof-trace-dump ring.bin
#   $ mcuprof calls ram:ring.bin@0x20000400 -e fw.elf
#
# Halt the core first, anywhere. The second line is what the command says.

# Both ends of what is to be saved: block and ring, and the names of contexts
# if they are not far.
define mcuprof-trace-range
  set $_mp_begin = (unsigned int)&mcuprof_trace
  set $_mp_ring = *(unsigned int *)($_mp_begin + 24)
  set $_mp_end = $_mp_ring + 8 * *(unsigned int *)($_mp_begin + 28)
  set $_mp_names = *(unsigned int *)($_mp_begin + 44)
  set $_mp_names_end = $_mp_names + 8 * *(unsigned short *)($_mp_begin + 42)
  if $_mp_names < $_mp_begin && $_mp_begin - $_mp_names < 0x10000
    set $_mp_begin = $_mp_names
  end
  if $_mp_names_end > $_mp_end && $_mp_names_end - $_mp_end < 0x10000
    set $_mp_end = $_mp_names_end
  end
end

define mcuprof-trace-dump
  if $argc != 1
    printf "mcuprof: name the file, as in `mcuprof-trace-dump ring.bin'\n"
  else
    if *(unsigned int *)((unsigned int)&mcuprof_trace + 16) != 0x4352544d
      printf "mcuprof: there is no call ring yet: has mcuprof_init() run, and is this the ELF that runs?\n"
    else
      mcuprof-trace-range
      dump binary memory $arg0 $_mp_begin $_mp_end
      printf "%u bytes; read them with: mcuprof calls ram:$arg0@0x%x -e fw.elf\n", $_mp_end - $_mp_begin, $_mp_begin
    end
  end
end

document mcuprof-trace-dump
Save the call ring: mcuprof-trace-dump FILE

Prints the command line that reads it. `mcuprof tree' and the other verbs read
it likewise; -e names the ELF that runs.
end
