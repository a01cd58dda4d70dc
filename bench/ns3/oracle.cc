// One flow of one law of ns-3 across one bottleneck, for make oracle-ns3.
//
//   oracle LAW RATE_MBIT RTT_MS QUEUE_PKT MARK_PKT SECONDS FROM SEED
//
// Topology: sender - router - receiver. The access link has ten times the rate of the
// bottleneck and no delay; the delay lies half on each way of the bottleneck. Its DropTail
// queue holds QUEUE_PKT packets; with MARK_PKT above 0 it marks, as DCTCP wants, every
// packet that finds more than that many (a RED queue without average).
//
// 1500 bytes on the wire: 20 (IP) + 20 (TCP) + 2 (PPP) + 1458, and ACKs of 42 bytes and
// their SACK blocks. An ACK per segment, a first window of 10 segments, timestamps off but
// for TcpLp, which measures one-way delays by them.
//
// Prints one line: goodput in Mbit/s of whole packets between FROM and the end, mean window
// in segments (every 100 ms), recoveries, timeouts, mean queue (every 10 ms).
#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>
#include <ns3/traffic-control-module.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

namespace {

using namespace ns3;

constexpr double packet = 1500.0;

struct Seen
{
    double from;
    uint32_t segment;
    uint32_t cwnd = 0;
    double windows = 0, samples = 0;
    double queued = 0, looks = 0;
    uint64_t recoveries = 0, timeouts = 0;
    uint64_t before = 0;
};

void set_defaults(const std::string& law, bool mark, uint32_t payload)
{
    const uint32_t buffer = 1U << 28;
    Config::SetDefault("ns3::TcpL4Protocol::SocketType",
                       TypeIdValue(TypeId::LookupByName("ns3::" + law)));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(payload));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(law == "TcpLp"));
    Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MilliSeconds(1)));
    if (mark)
    {
        Config::SetDefault("ns3::TcpSocketBase::UseEcn", StringValue("On"));
    }
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 9)
    {
        std::cerr << "usage: oracle LAW RATE_MBIT RTT_MS QUEUE_PKT MARK_PKT SECONDS FROM SEED\n";
        return 2;
    }
    const std::string law = argv[1];
    const double mbit = std::atof(argv[2]);
    const double rtt = std::atof(argv[3]);
    const auto queue = static_cast<uint32_t>(std::atoi(argv[4]));
    const auto mark = static_cast<uint32_t>(std::atoi(argv[5]));
    const double seconds = std::atof(argv[6]);
    RngSeedManager::SetSeed(static_cast<uint32_t>(std::atoi(argv[8])));
    Seen seen{std::atof(argv[7]), law == "TcpLp" ? 1446U : 1458U};
    set_defaults(law, mark > 0, seen.segment);

    NodeContainer nodes(3);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    PointToPointHelper link;
    link.SetDeviceAttribute("Mtu", UintegerValue(1498));
    const auto connect = [&](uint32_t a, uint32_t b, double rate, double ms, uint32_t room) {
        link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(static_cast<uint64_t>(rate * 1e6))));
        link.SetChannelAttribute("Delay", TimeValue(NanoSeconds(static_cast<int64_t>(ms * 1e6))));
        link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize",
                      QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, room)));
        const NetDeviceContainer ends = link.Install(nodes.Get(a), nodes.Get(b));
        const Ipv4InterfaceContainer interfaces = addresses.Assign(ends);
        TrafficControlHelper().Uninstall(ends);
        addresses.NewNetwork();
        return std::make_pair(ends, interfaces);
    };
    connect(0, 1, mbit * 10, 0, 10000000);
    const auto middle = connect(1, 2, mbit, rtt / 2, mark > 0 ? 1 : queue);
    Ptr<QueueDisc> red;
    if (mark > 0)
    {
        // section 3.1 of RFC 8257: by the queue of the moment
        Config::SetDefault("ns3::RedQueueDisc::UseEcn", BooleanValue(true));
        Config::SetDefault("ns3::RedQueueDisc::UseHardDrop", BooleanValue(false));
        Config::SetDefault("ns3::RedQueueDisc::QW", DoubleValue(1.0));
        Config::SetDefault("ns3::RedQueueDisc::MeanPktSize", UintegerValue(1500));
        TrafficControlHelper control;
        control.SetRootQueueDisc("ns3::RedQueueDisc", "MinTh", DoubleValue(mark), "MaxTh",
                                 DoubleValue(mark), "MaxSize",
                                 QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, queue)));
        red = control.Install(middle.first.Get(0)).Get(0);
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    ApplicationContainer sinks = PacketSinkHelper("ns3::TcpSocketFactory",
                                                  InetSocketAddress(Ipv4Address::GetAny(), 5000))
                                     .Install(nodes.Get(2));
    const auto sink = DynamicCast<PacketSink>(sinks.Get(0));
    BulkSendHelper send("ns3::TcpSocketFactory",
                        InetSocketAddress(middle.second.GetAddress(1), 5000));
    send.SetAttribute("SendSize", UintegerValue(seen.segment));
    send.Install(nodes.Get(0)).Start(Seconds(0));

    Simulator::Schedule(Seconds(0.001), [&] {
        const std::string socket = "/NodeList/0/$ns3::TcpL4Protocol/SocketList/0/";
        Config::ConnectWithoutContext(
            socket + "CongestionWindow",
            Callback<void, uint32_t, uint32_t>([&](uint32_t, uint32_t now) { seen.cwnd = now; }));
        Config::ConnectWithoutContext(
            socket + "CongState",
            Callback<void, TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t>(
                [&](TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now) {
                    const bool counts = Simulator::Now().GetSeconds() >= seen.from;
                    seen.recoveries += counts && now == TcpSocketState::CA_RECOVERY;
                    seen.timeouts += counts && now == TcpSocketState::CA_LOSS;
                }));
    });
    Simulator::Schedule(Seconds(seen.from), [&] { seen.before = sink->GetTotalRx(); });
    for (double at = seen.from; at < seconds; at += 0.1)
    {
        Simulator::Schedule(Seconds(at), [&] {
            seen.windows += static_cast<double>(seen.cwnd) / seen.segment;
            seen.samples += 1;
        });
    }
    const auto device = DynamicCast<PointToPointNetDevice>(middle.first.Get(0));
    for (double at = seen.from; at < seconds; at += 0.01)
    {
        Simulator::Schedule(Seconds(at), [&] {
            seen.queued += red ? red->GetNPackets() : device->GetQueue()->GetNPackets();
            seen.looks += 1;
        });
    }
    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    const double segments = static_cast<double>(sink->GetTotalRx() - seen.before) / seen.segment;
    std::cout << segments * packet * 8 / (seconds - seen.from) / 1e6 << ","
              << seen.windows / seen.samples << "," << seen.recoveries << "," << seen.timeouts << ","
              << seen.queued / seen.looks << "\n";
    Simulator::Destroy();
    return 0;
}
