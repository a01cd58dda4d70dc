# XCP flows over a dumbbell in ns-2.35, as facts for docs/router-assisted.md.
#
#   ns xcp.tcl key=value ..
#
#   rate=50Mb delay=48ms      of the bottleneck
#   buffer=1000               packets, at every link
#   access=1000Mb             rate of the access links
#   flows=1ms,21ms            delay of both access links of each flow
#   starts=0,10               when each starts, in seconds; as many
#   from=20 to=120            window of measurement
#   seed=1                    when the routers' first intervals begin is random
#
# Prints `key,value` lines: per flow the Mbit/s that left the last router within the
# window; of the bottleneck the mean number of packets that waited, its use, and the
# packets dropped in the whole run.
# bench/ns2/xcp.py runs it for all workloads of xcp.csv.

array set opt {
    rate 50Mb delay 48ms buffer 1000 access 1000Mb flows 1ms starts 0 from 20 to 120 seed 1
}
foreach word $argv {
    set pair [split $word =]
    set opt([lindex $pair 0]) [lindex $pair 1]
}

set ns [new Simulator]
$defaultRNG seed $opt(seed)
# a round trip in ticks of 10 ms would be rounded to a tenth of these
Agent/TCP set tcpTick_ 0.001
# 1500 bytes on the wire with a header of 40 and 10 for timestamps
Agent/TCP set packetSize_ 1450
Agent/TCP set timestamps_ true
Agent/TCP set windowInit_ 2
Agent/TCP set minrto_ 0.2

set left [$ns node]
set right [$ns node]

proc join {a b rate delay} {
    global ns opt
    $ns duplex-link $a $b $rate $delay XCP
    foreach {x y} [list $a $b $b $a] {
        $ns queue-limit $x $y $opt(buffer)
        set queue [[$ns link $x $y] queue]
        # it wants bits per second
        $queue set-link-capacity [bw_parse $rate]
    }
}

join $left $right $opt(rate) $opt(delay)

set i 0
foreach delay [split $opt(flows) ,] start [split $opt(starts) ,] {
    set source [$ns node]
    set target [$ns node]
    join $source $left $opt(access) $delay
    join $right $target $opt(access) $delay
    set tcp [new Agent/TCP/Reno/XCP]
    set sink [new Agent/TCPSink/XCPSink]
    $tcp set window_ 1000000
    $tcp set fid_ $i
    $ns attach-agent $source $tcp
    $ns attach-agent $target $sink
    $ns connect $tcp $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $start "$ftp start"
    set last($i) [$ns monitor-queue $right $target [open /dev/null w]]
    incr i
}
set flows $i

set monitor [$ns monitor-queue $left $right [open /dev/null w]]
set integrator [$monitor get-pkts-integrator]

proc note {name} {
    global ns last flows monitor integrator $name
    for {set i 0} {$i < $flows} {incr i} {
        set ${name}($i) [$last($i) set pdepartures_]
    }
    $integrator newpoint [$ns now] [$monitor set pkts_]
    set ${name}(area) [$integrator set sum_]
    set ${name}(packets) [$monitor set pdepartures_]
}

proc finish {} {
    global opt flows before after monitor
    set length [expr $opt(to) - $opt(from)]
    for {set i 0} {$i < $flows} {incr i} {
        set mbit [expr ($after($i) - $before($i)) * 1500 * 8 / $length / 1e6]
        puts "f$i.wire_mbps,[format %.4f $mbit]"
    }
    set queue [expr ($after(area) - $before(area)) / $length]
    set use [expr ($after(packets) - $before(packets)) * 12000.0 / $length / [bw_parse $opt(rate)]]
    puts "queue_mean,[format %.3f $queue]"
    puts "use,[format %.5f $use]"
    puts "drops,[$monitor set pdrops_]"
    exit 0
}

$ns at $opt(from) "note before"
$ns at $opt(to) "note after"
$ns at $opt(to) finish
$ns run
