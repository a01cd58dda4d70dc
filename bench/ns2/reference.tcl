# The reference workload of docs/performance.md in ns-2.35, set up to run as
# fast as ns-2 can: only the packet headers that are needed, no tracing, no
# monitors, the fastest scheduler.
#
#   ns reference.tcl [SECONDS] [SCHEDULER] [SEED]       default: 100 Calendar 1
#
# Topology: 10 senders - R1 - R2 - 10 receivers. Bottleneck R1 -> R2: 2.5 Gbit/s,
# 50 ms, DropTail 10,000 packets. Access links on both sides: 1 ms; 100 Mbit/s for
# the five Reno+SACK flows, 1 Gbit/s for the five HSTCP+SACK flows. No queue but
# the bottleneck's drops. 1500 bytes on the wire (40 of them headers), an ACK per
# segment, starts uniform within the first second.
#
# Prints key=value lines. Delivered segments are those acknowledged cumulatively
# at the sender (`ack_`); the latter half of the run gives the goodput, counted in
# payload (1460 bytes per segment). `wall` covers the event loop only, `setup`
# what came before it.
set t_begin [clock microseconds]
set seconds   [expr {[llength $argv] > 0 ? [lindex $argv 0] : 100}]
set scheduler [expr {[llength $argv] > 1 ? [lindex $argv 1] : "Calendar"}]
set seed      [expr {[llength $argv] > 2 ? [lindex $argv 2] : 1}]

remove-all-packet-headers
add-packet-header IP TCP Flags
ns-random $seed
set ns [new Simulator]
$ns use-scheduler $scheduler
set rng [new RNG]
$rng seed $seed

Agent/TCP set packetSize_ 1460
Agent/TCP set window_ 1000000
Agent/TCP set low_window_ 38
Agent/TCP set high_window_ 83000
Agent/TCP set high_p_ 0.0000001
Agent/TCP set high_decrease_ 0.1

set r1 [$ns node]
set r2 [$ns node]
$ns simplex-link $r1 $r2 2500Mb 50ms DropTail
$ns simplex-link $r2 $r1 2500Mb 50ms DropTail
$ns queue-limit $r1 $r2 10000
$ns queue-limit $r2 $r1 10000000

set flows {}
foreach {group rate option} {reno 100Mb 1 hstcp 1000Mb 8} {
    for {set i 0} {$i < 5} {incr i} {
        set s [$ns node]
        set d [$ns node]
        foreach {a b} [list $s $r1 $r1 $s $r2 $d $d $r2] {
            $ns simplex-link $a $b $rate 1ms DropTail
            $ns queue-limit $a $b 10000000
        }
        set tcp [new Agent/TCP/Sack1]
        $tcp set windowOption_ $option
        set sink [new Agent/TCPSink/Sack1]
        $ns attach-agent $s $tcp
        $ns attach-agent $d $sink
        $ns connect $tcp $sink
        set ftp [new Application/FTP]
        $ftp attach-agent $tcp
        $ns at [$rng uniform 0 1] "$ftp start"
        lappend flows [list $group $tcp]
    }
}

proc acked {} {
    global flows
    set total(reno) 0
    set total(hstcp) 0
    foreach f $flows { incr total([lindex $f 0]) [[lindex $f 1] set ack_] }
    return [array get total]
}

proc finish {} {
    global flows half seconds scheduler seed t_begin t_run
    set wall [expr {([clock microseconds] - $t_run) / 1e6}]
    array set first $half
    array set last [acked]
    set delivered [expr {$last(reno) + $last(hstcp)}]
    set timeouts 0
    set cuts 0
    set sent 0
    foreach f $flows {
        incr timeouts [[lindex $f 1] set nrexmit_]
        incr cuts [[lindex $f 1] set ncwndcuts_]
        incr sent [[lindex $f 1] set ndatapack_]
    }
    puts "simulator=ns-2.35"
    puts "scheduler=$scheduler"
    puts "seed=$seed"
    puts "simulated_s=$seconds"
    puts "delivered_segments=$delivered"
    puts "sent_segments=$sent"
    foreach group {reno hstcp} {
        puts [format "goodput_%s_mbps=%.3f" $group \
            [expr {($last($group) - $first($group)) * 1460 * 8.0 / ($seconds / 2.0) / 1e6}]]
    }
    puts "timeouts=$timeouts"
    puts "window_cuts=$cuts"
    puts [format "setup_s=%.3f" [expr {($t_run - $t_begin) / 1e6}]]
    puts [format "wall_s=%.3f" $wall]
    puts [format "segments_per_s=%.0f" [expr {$delivered / $wall}]]
    exit 0
}

$ns at [expr {$seconds / 2.0}] {set half [acked]}
$ns at $seconds finish
set t_run [clock microseconds]
$ns run
