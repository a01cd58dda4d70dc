# What the gHSTCP paper adds to ns-2.35, for cell.tcl: its TCP and its queue.

# gHSTCP: ghstcp.cc beside this file, as built by `make setup-ns2-laws`.
set ghstcp_module [file normalize [file join [file dirname [info script]] ../../../target/ns2/ghstcp.so]]

# A gHSTCP agent on Agent/TCP/KIND, KIND Reno or Sack1.
proc gentle_agent {kind} {
    global ghstcp_module
    if {![file exists $ghstcp_module]} {
        puts stderr "cell.tcl: no $ghstcp_module: run `make setup-ns2-laws`"; exit 2
    }
    load $ghstcp_module Ghstcp
    set tcp [new Agent/TCP/$kind/Ghstcp]
    $tcp set windowOption_ 8
    # the module was compiled against headers, ns-2 by Debian: both must see the agent alike
    set window [$tcp set cwnd_]
    $tcp set cwnd_ 123.5
    if {[$tcp layout] ne "123.500 8"} {
        puts stderr "cell.tcl: $ghstcp_module does not fit this ns: remove target/ns2 and run `make setup-ns2-laws`"
        exit 2
    }
    $tcp set cwnd_ $window
    return $tcp
}

# gARED (section 4.3 of the paper): a RED queue of ns-2 whose max_p is changed
#
#   every interval seconds:
#     avg > upper end of the target, avg > old_avg, max_p < top:
#         max_p <- max_p + min(0.01, max_p/4)
#     min_th < avg < lower end of the target, avg < old_avg:
#         max_p <- 0.9 max_p
#
# What the paper leaves open, and what is done here:
#   - `target` in the pseudocode: the prose says its upper end for the increase and its
#     lower end for the decrease, min_th + 0.6 and 0.4 (max_th - min_th)
#   - interval and top: ns-2's for ARED, 0.5 s and 0.5
#   - old_avg: the average one interval ago, 0 at first
#   - the first max_p: 1/linterm_
#   - max_p stops at top
#   - between max_th and 2 max_th the probability rises to 1 along a line that stays that
#     of the first max_p, as in ns-2's ARED
#
# LOG, if not empty, is a channel that gets time, avg and max_p at every interval.
proc gared {queue log} {
    global ns
    $ns at 0.5 [list gared_tick $queue $log 0 [expr {1.0 / [$queue set linterm_]}]]
}

proc gared_tick {queue log old_avg max_p} {
    global ns
    set avg [$queue set ave_]
    set top [$queue set top_]
    set min_th [$queue set thresh_queue_]
    set span [expr {[$queue set maxthresh_queue_] - $min_th}]
    if {$avg > $min_th + 0.6 * $span && $avg > $old_avg && $max_p < $top} {
        set max_p [expr {min($top, $max_p + min(0.01, $max_p / 4.0))}]
    } elseif {$min_th < $avg && $avg < $min_th + 0.4 * $span && $avg < $old_avg} {
        set max_p [expr {$max_p * 0.9}]
    }
    $queue set cur_max_p_ $max_p
    if {$log ne ""} { puts $log "[$ns now] $avg [$queue set cur_max_p_]" }
    $ns at [expr {[$ns now] + 0.5}] [list gared_tick $queue $log $avg $max_p]
}
