# SPDX-License-Identifier: MIT
#
# The function table of mcuprof in any gdb that has the firmware's ELF: only
# gdb's own commands are used.
#
#   (gdb) source mcuprof_functions.gdb
#   (gdb) mcuprof-functions
#   (gdb) mcuprof-functions-dump table.bin
#   $ mcuprof report ram:table.bin@0x20000400 -e fw.elf
#
# Halt the core first, anywhere. The last line is what the command says.

define mcuprof-functions-find
  set $_mp_table = (unsigned int)&mcuprof_functions
  set $_mp_rows = $_mp_table + *(unsigned short *)($_mp_table + 46)
  set $_mp_count = *(unsigned short *)($_mp_table + 48)
  set $_mp_contexts = $_mp_rows + 32 * $_mp_count
  set $_mp_size = *(unsigned short *)($_mp_table + 54)
end

# Self of the row at $_mp_row, all bits of it; one below 0 is 0.
define mcuprof-functions-self
  set $_mp_low = *(unsigned int *)($_mp_row + 4)
  set $_mp_high = *(unsigned short *)($_mp_row + 20)
  set $_mp_self = (long long)$_mp_high * 2147483648 + $_mp_low
  if $_mp_low > 0xe0000000
    set $_mp_self = $_mp_self - 4294967296
  end
  if *(unsigned char *)($_mp_row + 27) & 64
    if $_mp_high < 0xff00
      set $_mp_self = $_mp_self + 140737488355328
    else
      set $_mp_self = 0
    end
  end
  if $_mp_self < 0
    set $_mp_self = 0
  end
end

# One reading of the target. gdb has no arrays of its own, so each row's self
# gets a name; -1 says that the row is nobody's, or of before the last reset.
define mcuprof-functions-read
  set $_mp_used = 0
  set $_mp_i = 0
  while $_mp_i < $_mp_count
    set $_mp_row = $_mp_rows + 32 * $_mp_i
    set $_mp_self = -1
    if (*(unsigned int *)($_mp_row + 28) | 2) != 2
      set $_mp_context = $_mp_contexts + $_mp_size * (*(unsigned char *)($_mp_row + 24) & 127)
      if *(unsigned int *)($_mp_context + 60) == 0
        mcuprof-functions-self
        set $_mp_used = $_mp_used + 1
      end
    end
    eval "set $_mp_self%d = $_mp_self", $_mp_i
    set $_mp_i = $_mp_i + 1
  end
end

# The row with the greatest self into $_mp_row, and out of the running with it;
# $_mp_most is -1 if none is left.
define mcuprof-functions-take
  set $_mp_most = (long long)-1
  set $_mp_best = 0
  set $_mp_i = 0
  while $_mp_i < $_mp_count
    eval "set $_mp_self = $_mp_self%d", $_mp_i
    if $_mp_self > $_mp_most
      set $_mp_best = $_mp_i
      set $_mp_most = $_mp_self
    end
    set $_mp_i = $_mp_i + 1
  end
  eval "set $_mp_self%d = -1", $_mp_best
  set $_mp_row = $_mp_rows + 32 * $_mp_best
end

define mcuprof-functions-print
  set $_mp_more = *(unsigned char *)($_mp_row + 27)
  set $_mp_calls = *(unsigned int *)$_mp_row + (unsigned long long)($_mp_more & 63) * 2147483648
  set $_mp_total = *(unsigned int *)($_mp_row + 8) + (unsigned long long)*(unsigned short *)($_mp_row + 22) * 2147483648
  if $_mp_more & 128
    set $_mp_total = $_mp_total + 140737488355328
  end
  set $_mp_average = (unsigned long long)0
  if $_mp_calls > 0
    set $_mp_average = $_mp_total / $_mp_calls
  end
  set $_mp_key = *(unsigned int *)($_mp_row + 28)
  set $_mp_context = $_mp_contexts + $_mp_size * (*(unsigned char *)($_mp_row + 24) & 127)
  printf "%10llu %15llu %15llu %12llu ", $_mp_calls, (unsigned long long)$_mp_most, $_mp_total, $_mp_average
  if $_mp_key & 1
    printf "     "
  else
    printf " open"
  end
  printf " %7u  ", *(unsigned int *)$_mp_context - 1
  output/a (void *)($_mp_key & ~1)
  printf "\n"
end

define mcuprof-functions
  mcuprof-functions-find
  set $_mp_lines = 20
  if $argc > 0
    set $_mp_lines = $arg0
  end
  if *(unsigned int *)($_mp_table + 40) != 0x4e55464d
    printf "mcuprof: there is no function table yet: has mcuprof_functions_start() returned 0, and is this the ELF that runs?\n"
  else
    mcuprof-functions-read
    printf "%u rows of %u are in use\n", $_mp_used, $_mp_count
    printf "     calls            self           total      average       context  function\n"
    set $_mp_line = 0
    while $_mp_line < $_mp_lines
      mcuprof-functions-take
      if $_mp_most < 0
        set $_mp_line = $_mp_lines
      else
        mcuprof-functions-print
        set $_mp_line = $_mp_line + 1
      end
    end
  end
end

document mcuprof-functions
Print the function table as it is now, the greatest self time first.

mcuprof-functions [ROWS]; 20 rows without a number. Times are in ticks of the
clock that mcuprof counts by.

calls    Calls that have ended.
self     Time in the function itself.
total    Time from its entry to its end; of recursive calls once.
average  total / calls.
open     It is being called: that call is in none of the numbers yet, or only
         with its time before the last 2^26 ticks or the last reset.
context  0 is thread mode, 1 to 511 an exception, from 512 on a task.

`mcuprof report gdb:HOST:PORT -e fw.elf' shows more: calls that are open, lines,
the sum of all. So does mcuprof_functions_view, after the firmware has called
mcuprof_functions_snapshot().
end

# Both ends of what is to be saved: the table, and the names of contexts if they
# are not far.
define mcuprof-functions-range
  set $_mp_begin = $_mp_table
  set $_mp_number = *(unsigned short *)($_mp_table + 50)
  set $_mp_frames = ($_mp_number - 1) * *(unsigned short *)($_mp_table + 52) + 1
  set $_mp_end = $_mp_contexts + $_mp_size * $_mp_number + 32 * $_mp_frames
  set $_mp_names = *(unsigned int *)($_mp_table + 60)
  set $_mp_names_end = $_mp_names + 8 * *(unsigned short *)($_mp_table + 58)
  if $_mp_names < $_mp_begin && $_mp_begin - $_mp_names < 0x10000
    set $_mp_begin = $_mp_names
  end
  if $_mp_names_end > $_mp_end && $_mp_names_end - $_mp_end < 0x10000
    set $_mp_end = $_mp_names_end
  end
end

define mcuprof-functions-dump
  if $argc != 1
    printf "mcuprof: name the file, as in `mcuprof-functions-dump table.bin'\n"
  else
    mcuprof-functions-find
    if *(unsigned int *)($_mp_table + 40) != 0x4e55464d
      printf "mcuprof: there is no function table yet: has mcuprof_functions_start() returned 0, and is this the ELF that runs?\n"
    else
      mcuprof-functions-range
      dump binary memory $arg0 $_mp_begin $_mp_end
      printf "%u bytes; read them with: mcuprof report ram:$arg0@0x%x -e fw.elf\n", $_mp_end - $_mp_begin, $_mp_begin
    end
  end
end

document mcuprof-functions-dump
Save the function table: mcuprof-functions-dump FILE

Prints the command line that reads it; -e names the ELF that runs. The clock is
not in it: of a table that is counting, what the innermost call had taken itself
is missing. Stop it before, or read it with
`mcuprof report gdb:HOST:PORT -e fw.elf'.
end
