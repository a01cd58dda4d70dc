// The reference workload of docs/performance.md in ns-3.37, scaled: the same
// topology with its rates and its queue divided by SCALE.
//
//   reference [SECONDS] [SCALE] [SEED]       default: 10 10 1
//
// Topology: 10 senders - R1 - R2 - 10 receivers. Bottleneck R1 -> R2: 2.5 Gbit/s,
// 50 ms, DropTail 10,000 packets, all divided by SCALE but the delay. Access links
// on both sides: 1 ms; 100 Mbit/s for the five Reno+SACK flows, 1 Gbit/s for the
// five HighSpeed+SACK flows, divided likewise. No queue but the bottleneck's drops.
// 1500 bytes on the wire, an ACK per segment, starts uniform within the first
// second.
//
// ns-3's headers are real: 20 (IP) + 20 (TCP) + 2 (PPP) and no options, as time
// stamps and window scaling cost bytes, but SACK needs none in data. 1458 bytes of
// payload fill the 1500. Without window scaling a window ends at 65,535 bytes, so
// scaling is on; its option travels in SYNs alone. The queue sits in the device; there
// is no queue discipline above it, which would cost time and change nothing.
//
// Prints key=value lines. `wall` covers the event loop only, `setup` what came
// before it. Delivered segments are those the receiving applications have read.
#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/traffic-control-module.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

namespace {

using namespace ns3;
using Clock = std::chrono::steady_clock;

constexpr uint32_t payload = 1458;
constexpr int per_group = 5;

// A rate in Mbit/s, divided.
DataRate rate(double mbit, double scale)
{
    return DataRate(static_cast<uint64_t>(mbit * 1e6 / scale + 0.5));
}

// What every socket does: as in bench/reference.toml.
void set_defaults()
{
    const uint32_t buffer = 1U << 30;
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(payload));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MilliSeconds(10)));
    // the ns2 profile has no PRR
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType",
                       TypeIdValue(TypeId::LookupByName("ns3::TcpClassicRecovery")));
}

// One end of a link: its DropTail queue holds `packets`.
void limit(const Ptr<NetDevice>& device, uint32_t packets)
{
    auto queue = CreateObject<DropTailQueue<Packet>>();
    queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, packets));
    DynamicCast<PointToPointNetDevice>(device)->SetQueue(queue);
}

struct Flow
{
    std::string group;
    Ptr<PacketSink> sink;
};

uint64_t delivered(const std::vector<Flow>& flows, const std::string& group)
{
    uint64_t bytes = 0;
    for (const auto& flow : flows)
    {
        bytes += flow.group == group ? flow.sink->GetTotalRx() : 0;
    }
    return bytes / payload;
}

} // namespace

int main(int argc, char** argv)
{
    const auto begin = Clock::now();
    const double seconds = argc > 1 ? std::atof(argv[1]) : 10.0;
    const double scale = argc > 2 ? std::atof(argv[2]) : 10.0;
    const int seed = argc > 3 ? std::atoi(argv[3]) : 1;
    if (seconds <= 0.0 || scale <= 0.0 || seed <= 0)
    {
        std::cerr << "usage: reference [SECONDS] [SCALE] [SEED], all above 0\n";
        return 2;
    }
    RngSeedManager::SetSeed(static_cast<uint32_t>(seed));
    set_defaults();

    const uint32_t unlimited = 10000000;
    const Ptr<Node> r1 = CreateObject<Node>();
    const Ptr<Node> r2 = CreateObject<Node>();
    InternetStackHelper stack;
    stack.Install(NodeContainer(r1, r2));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    PointToPointHelper links;
    const auto connect = [&](const Ptr<Node>& a, const Ptr<Node>& b, DataRate bps, int ms) {
        links.SetDeviceAttribute("DataRate", DataRateValue(bps));
        links.SetDeviceAttribute("Mtu", UintegerValue(1498));
        links.SetChannelAttribute("Delay", TimeValue(MilliSeconds(ms)));
        const NetDeviceContainer ends = links.Install(a, b);
        limit(ends.Get(0), unlimited);
        limit(ends.Get(1), unlimited);
        // addresses first: that installs a queue discipline, which goes again
        const Ipv4InterfaceContainer interfaces = addresses.Assign(ends);
        TrafficControlHelper().Uninstall(ends);
        addresses.NewNetwork();
        return std::make_pair(ends, interfaces);
    };
    const auto middle = connect(r1, r2, rate(2500, scale), 50);
    limit(middle.first.Get(0), static_cast<uint32_t>(10000 / scale + 0.5));

    const auto start = CreateObject<UniformRandomVariable>();
    std::vector<Flow> flows;
    for (const auto& [group, mbit, law] :
         {std::make_tuple("reno", 100.0, "ns3::TcpLinuxReno"),
          std::make_tuple("hstcp", 1000.0, "ns3::TcpHighSpeed")})
    {
        Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TypeId::LookupByName(law)));
        for (int i = 0; i < per_group; ++i)
        {
            const Ptr<Node> s = CreateObject<Node>();
            const Ptr<Node> d = CreateObject<Node>();
            stack.Install(NodeContainer(s, d));
            connect(s, r1, rate(mbit, scale), 1);
            const auto far = connect(r2, d, rate(mbit, scale), 1);
            const uint16_t port = 5000;
            PacketSinkHelper receive("ns3::TcpSocketFactory",
                                     InetSocketAddress(Ipv4Address::GetAny(), port));
            ApplicationContainer sinks = receive.Install(d);
            sinks.Start(Seconds(0));
            BulkSendHelper send("ns3::TcpSocketFactory",
                                InetSocketAddress(far.second.GetAddress(1), port));
            send.SetAttribute("MaxBytes", UintegerValue(0));
            send.SetAttribute("SendSize", UintegerValue(payload));
            send.Install(s).Start(Seconds(start->GetValue(0.0, 1.0)));
            flows.push_back({group, DynamicCast<PacketSink>(sinks.Get(0))});
        }
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    uint64_t half[2] = {0, 0};
    Simulator::Schedule(Seconds(seconds / 2), [&] {
        half[0] = delivered(flows, "reno");
        half[1] = delivered(flows, "hstcp");
    });
    Simulator::Stop(Seconds(seconds));
    const auto run = Clock::now();
    Simulator::Run();
    const auto end = Clock::now();
    const uint64_t whole[2] = {delivered(flows, "reno"), delivered(flows, "hstcp")};
    const double wall = std::chrono::duration<double>(end - run).count();
    const auto mbps = [&](int g) {
        return static_cast<double>(whole[g] - half[g]) * payload * 8.0 / (seconds / 2) / 1e6;
    };
    std::cout << "simulator=ns-3.37\n"
              << "scale=" << scale << "\nseed=" << seed << "\nsimulated_s=" << seconds
              << "\ndelivered_segments=" << whole[0] + whole[1]
              << "\ngoodput_reno_mbps=" << mbps(0) << "\ngoodput_hstcp_mbps=" << mbps(1)
              << "\nevents=" << Simulator::GetEventCount()
              << "\nsetup_s=" << std::chrono::duration<double>(run - begin).count()
              << "\nwall_s=" << wall
              << "\nsegments_per_s=" << static_cast<double>(whole[0] + whole[1]) / wall << "\n";
    Simulator::Destroy();
    return 0;
}
