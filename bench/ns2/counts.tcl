# What cell.tcl counts and prints, as key=value lines:
#
#   delivered_segments  all segments acknowledged cumulatively (`ack_` at the sender;
#                       segment 0 is the SYN of 40 bytes and not counted). In Sack1 and
#                       NewReno a partial ACK counts at once
#   GROUP.goodput_mbps  (ack_ at the end - ack_ at `from`) x payload, per second
#   GROUP.wire_mbps     the same with the headers: payload + 40
#   flow.N.goodput_mbps per flow, in the order of the groups
#   *.timeouts          nrexmit_: expiries of the retransmission timer with data
#                       outstanding
#   *.cuts              ncwndcuts1_: all window cuts, timeouts included (TCP-Linux:
#                       ncwndcuts_)
#   *.fast_retransmits  cuts - timeouts - ECN responses
#   *.retransmitted     nrexmitpack_: data packets sent again
#   *.sent              ndatapack_: data packets handed to the host's queue
#                       `.half` behind a name: the latter half alone
#   bottleneck.*        a QueueMonitor on R1 -> R2 (packet counters, never its byte
#                       counters: they wrap at 2^31). arrivals, departures, drops (all),
#                       early (RED's own; forced and overflow drops are drops - early)
#   queue_mean          time-average of the waiting packets over the latter half,
#                       without the one in transmission; queue_mean_tx includes it
#   queue_qXX           quantiles of samples of the same
#   queue_empty         share of samples with nothing waiting
#   utilisation         departures x packet size / capacity over the latter half
#                       (every packet counted full: right but for the 40-byte SYNs)
#   loss_episodes       runs of drops at the bottleneck in the latter half, by the time
#                       of each drop: a new one begins if more than `gap` has passed
#                       since the last drop
#   host_drops          packets lost in the sending hosts' queues: sent - arrived at R1
#                       - still on the access links at the end (0 for unlimited hosts)

set counters {ack_ nrexmit_ CUTS necnresponses_ nrexmitpack_ ndatapack_}

# Values of all counters, flow by flow.
proc snapshot {} {
    global flows counters monitor integrator ns
    set rows {}
    foreach f $flows {
        set row {}
        lassign $f name tcp cuts
        foreach c $counters { lappend row [$tcp set [string map [list CUTS $cuts] $c]] }
        lappend rows $row
    }
    $integrator newpoint [$ns now] [$monitor set pkts_]
    return [list $rows [$integrator set sum_] [$monitor set parrivals_] \
        [$monitor set pdepartures_] [$monitor set pdrops_] [$monitor set epdrops_]]
}

set samples {}
proc sample {} {
    global ns monitor samples cfg
    set now [$ns now]
    if {$now >= $cfg(from)} { lappend samples [$monitor set pkts_] }
    $ns at [expr {$now + $cfg(sample)}] sample
}

# Loss episodes in the latter half, from the times of the drops.
proc episodes {} {
    global cfg dropfile dropname ns
    $ns flush-trace
    flush $dropfile
    seek $dropfile 0
    set episodes 0
    set last -1e9
    while {[gets $dropfile line] >= 0} {
        set at [lindex $line 1]
        if {[lindex $line 0] ne "d" || $at < $cfg(from)} continue
        if {$at - $last > $cfg(gap)} { incr episodes }
        set last $at
    }
    close $dropfile
    file delete $dropname
    return $episodes
}

proc finish {} {
    global cfg flows groups samples half capacity queue kind t_begin t_run
    set wall [expr {([clock microseconds] - $t_run) / 1e6}]
    lassign [snapshot] rows area arrivals departures drops early
    lassign $half rows0 area0 arrivals0 departures0 drops0 early0
    set span [expr {$cfg(time) - $cfg(from)}]
    puts "simulator=ns-2.35"
    foreach key [lsort [array names cfg]] { puts "option.$key=$cfg($key)" }
    set delivered 0
    set sent 0
    set n 0
    set lines {}
    foreach group $groups {
        lassign $group name agent law count
        set payload [payload $agent]
        foreach c {goodput acked timeouts cuts ecn rexmit sent} { set sum($c) 0; set late($c) 0 }
        for {set i 0} {$i < $count} {incr i} {
            foreach v {ack to cut ecn rex snd} a [lindex $rows $n] b [lindex $rows0 $n] {
                set $v $a
                set ${v}0 $b
            }
            foreach c {acked timeouts cuts ecn rexmit sent} v {ack to cut ecn rex snd} {
                incr sum($c) [set $v]
                incr late($c) [expr {[set $v] - [set ${v}0]}]
            }
            incr delivered $ack
            incr sent $snd
            lappend lines [format "flow.%d.goodput_mbps=%.4f" $n [expr {($ack - $ack0) * $payload * 8 / $span / 1e6}]]
            incr n
        }
        incr index
        set g "$index.$name"
        puts [format "%s.goodput_mbps=%.4f" $g [expr {$late(acked) * $payload * 8 / $span / 1e6}]]
        puts [format "%s.wire_mbps=%.4f" $g [expr {$late(acked) * $cfg(packet) * 8 / $span / 1e6}]]
        foreach {label c} {timeouts timeouts cuts cuts retransmitted rexmit sent sent} {
            puts "$g.$label=$sum($c)"
            puts "$g.$label.half=$late($c)"
        }
        puts "$g.fast_retransmits=[expr {$sum(cuts) - $sum(timeouts) - $sum(ecn)}]"
        puts "$g.fast_retransmits.half=[expr {$late(cuts) - $late(timeouts) - $late(ecn)}]"
    }
    puts [join $lines \n]
    puts "delivered_segments=$delivered"
    puts "sent_segments=$sent"
    foreach v {arrivals departures drops early} {
        puts "bottleneck.$v=[set $v]"
        puts "bottleneck.$v.half=[expr {[set $v] - [set ${v}0]}]"
    }
    set utilisation [expr {($departures - $departures0) * $cfg(packet) * 8.0 / $capacity / $span}]
    set mean [expr {($area - $area0) / $span}]
    puts [format "utilisation=%.6f" $utilisation]
    puts [format "queue_mean=%.3f" $mean]
    puts [format "queue_mean_tx=%.3f" [expr {$mean + $utilisation}]]
    set sorted [lsort -integer $samples]
    foreach q {1 10 50 90 99} {
        puts "queue_q$q=[lindex $sorted [expr {int(($q / 100.0) * ([llength $sorted] - 1))}]]"
    }
    set empty 0
    foreach s $sorted { if {$s > 0} break; incr empty }
    puts [format "queue_empty=%.4f" [expr {double($empty) / [llength $sorted]}]]
    puts "loss_episodes=[episodes]"
    if {$cfg(hostq) >= 1000000} { puts "host_drops=0" } else { puts "host_drops=[expr {$sent - $arrivals}]" }
    if {$kind eq "RED"} {
        foreach v {thresh_ maxthresh_ thresh_queue_ maxthresh_queue_ q_weight_ cur_max_p_ ave_ bottom_ top_ gentle_ wait_ mean_pktsize_} {
            puts "red.$v=[$queue set $v]"
        }
    }
    puts [format "setup_s=%.3f" [expr {($t_run - $t_begin) / 1e6}]]
    puts [format "wall_s=%.3f" $wall]
    puts [format "segments_per_s=%.0f" [expr {$delivered / $wall}]]
    exit 0
}
