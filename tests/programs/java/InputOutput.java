import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.lang.reflect.Method;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/*
 * A thread that waits for sockets and files, each kind in a method of its own: the program says how long by its own
 * clock, and which addresses there were. What it waits for comes MS later. Arguments: platform or virtual; a pipe with
 * a name, into which somebody writes a byte MS after each that comes out of the other one; that one; a file.
 */
public final class InputOutput {
    private static final int MS = 20, TIMES = 4;
    private static final InetAddress loopback = InetAddress.getLoopbackAddress();
    private static final List<Thread> started = new ArrayList<>();
    private static long waited;
    private static boolean warm; /* the first time loads classes, and waits on another line */

    private interface Action {
        void run() throws Exception;
    }

    private static Thread start(String name, Action action) {
        Thread thread = new Thread(() -> {
            try {
                action.run();
            } catch (Exception failed) {
                failed.printStackTrace();
            }
        }, name);
        thread.start();
        return thread;
    }

    /* Answers each byte MS later. */
    private static void answer(Socket socket) throws Exception {
        int command;
        while ((command = socket.getInputStream().read()) >= 0) {
            Thread.sleep(MS);
            socket.getOutputStream().write(command);
        }
    }

    private static void streamRead(InputStream in) throws IOException {
        if (warm) {
            in.read();
            return;
        }
        long begin = System.nanoTime();
        in.read();
        waited += System.nanoTime() - begin;
    }

    private static void timedRead(InputStream in) throws IOException {
        if (warm) {
            in.read();
            return;
        }
        long begin = System.nanoTime();
        in.read();
        waited += System.nanoTime() - begin;
    }

    private static void channelRead(SocketChannel channel, ByteBuffer buffer) throws IOException {
        if (warm) {
            channel.read(buffer);
            return;
        }
        long begin = System.nanoTime();
        channel.read(buffer);
        waited += System.nanoTime() - begin;
    }

    private static Socket streamAccept(ServerSocket server) throws IOException {
        if (warm) {
            return server.accept();
        }
        long begin = System.nanoTime();
        Socket socket = server.accept();
        waited += System.nanoTime() - begin;
        return socket;
    }

    private static SocketChannel channelAccept(ServerSocketChannel server) throws IOException {
        if (warm) {
            return server.accept();
        }
        long begin = System.nanoTime();
        SocketChannel socket = server.accept();
        waited += System.nanoTime() - begin;
        return socket;
    }

    /* Those that take less are no waits. */
    private static void streamWrite(OutputStream out, byte[] bytes) throws IOException {
        if (warm) {
            out.write(bytes);
            return;
        }
        long begin = System.nanoTime();
        out.write(bytes);
        long time = System.nanoTime() - begin;
        waited += time >= 1_000_000 ? time : 0;
    }

    private static void timedConnect(Socket socket, InetSocketAddress address) throws IOException {
        long begin = System.nanoTime();
        socket.connect(address, 30_000);
        waited += System.nanoTime() - begin;
    }

    private static void select(Selector selector) throws IOException {
        if (warm) {
            selector.select(MS);
            return;
        }
        long begin = System.nanoTime();
        selector.select(MS);
        waited += System.nanoTime() - begin;
    }

    private static void receive(DatagramSocket socket, DatagramPacket packet) throws IOException {
        if (warm) {
            socket.receive(packet);
            return;
        }
        long begin = System.nanoTime();
        socket.receive(packet);
        waited += System.nanoTime() - begin;
    }

    private static void fileRead(InputStream in) throws IOException {
        if (warm) {
            in.read();
            return;
        }
        long begin = System.nanoTime();
        in.read();
        waited += System.nanoTime() - begin;
    }

    private static void fileSync(RandomAccessFile file) throws IOException {
        if (warm) {
            file.getFD().sync();
            return;
        }
        long begin = System.nanoTime();
        file.getFD().sync();
        waited += System.nanoTime() - begin;
    }

    private static void lookup(String name) {
        long begin = System.nanoTime();
        try {
            InetAddress.getByName(name);
        } catch (UnknownHostException expected) {
            waited += System.nanoTime() - begin;
        }
    }

    private static void told(String what, Action action) throws Exception {
        warm = true;
        action.run();
        warm = false;
        waited = 0;
        for (int i = 0; i < TIMES; i++)
            action.run();
        System.out.println("wait: " + what + " " + waited);
    }

    private static void streams() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, loopback)) {
            start("answers", () -> {
                try (Socket socket = server.accept()) {
                    answer(socket);
                }
            });
            try (Socket socket = new Socket(loopback, server.getLocalPort())) {
                System.out.println("port: streams " + server.getLocalPort());
                InputStream in = socket.getInputStream();
                OutputStream out = socket.getOutputStream();
                told("streamRead", () -> {
                    out.write(1);
                    streamRead(in);
                });
                socket.setSoTimeout(30_000);
                told("timedRead", () -> {
                    out.write(1);
                    timedRead(in);
                });
            }
        }
    }

    private static void channels() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, loopback)) {
            start("answers", () -> {
                try (Socket socket = server.accept()) {
                    answer(socket);
                }
            });
            try (SocketChannel channel = SocketChannel.open(server.getLocalSocketAddress())) {
                System.out.println("port: channels " + server.getLocalPort());
                ByteBuffer buffer = ByteBuffer.allocate(1);
                told("channelRead", () -> {
                    channel.write(ByteBuffer.wrap(new byte[1]));
                    buffer.clear();
                    channelRead(channel, buffer);
                });
            }
        }
    }

    /* Somebody connects, MS later. */
    private static Thread connect(int port) {
        return start("connects", () -> {
            Thread.sleep(MS);
            new Socket(loopback, port).close();
        });
    }

    private static void accepts() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, loopback)) {
            System.out.println("port: accepts " + server.getLocalPort());
            told("streamAccept", () -> {
                Thread other = connect(server.getLocalPort());
                streamAccept(server).close();
                other.join();
            });
        }
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(loopback, 0));
            int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
            told("channelAccept", () -> {
                Thread other = connect(port);
                channelAccept(server).close();
                other.join();
            });
        }
    }

    /* The other side reads nothing for some time. */
    private static void writes() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 50, loopback)) {
            server.setReceiveBufferSize(8192);
            told("streamWrite", () -> {
                Thread reads = start("reads", () -> {
                    try (Socket socket = server.accept()) {
                        Thread.sleep(5 * MS);
                        socket.getInputStream().readAllBytes();
                    }
                });
                try (Socket socket = new Socket()) {
                    socket.setSendBufferSize(8192);
                    socket.connect(server.getLocalSocketAddress());
                    OutputStream out = socket.getOutputStream();
                    byte[] bytes = new byte[8192];
                    for (int i = 0; i < 32; i++)
                        streamWrite(out, bytes);
                }
                reads.join();
            });
        }
    }

    /* A queue of connections that is full: the kernel tries again after a second. */
    private static void connects() throws Exception {
        List<Socket> sockets = new ArrayList<>();
        try (ServerSocket server = new ServerSocket(0, 1, loopback)) {
            InetSocketAddress address = (InetSocketAddress) server.getLocalSocketAddress();
            System.out.println("port: connects " + address.getPort());
            for (int i = 0; i < 2; i++)
                sockets.add(new Socket(loopback, address.getPort()));
            start("accepts", () -> {
                Thread.sleep(MS);
                for (int i = 0; i < 3; i++)
                    sockets.add(server.accept());
            });
            waited = 0;
            timedConnect(new Socket(), address);
            System.out.println("wait: timedConnect " + waited);
        }
    }

    private static void others(String pipe, String other, String path) throws Exception {
        try (Selector selector = Selector.open()) {
            told("select", () -> select(selector));
        }
        try (DatagramSocket socket = new DatagramSocket(0, loopback)) {
            System.out.println("port: receives " + socket.getLocalPort());
            told("receive", () -> {
                Thread sends = start("sends", () -> {
                    Thread.sleep(MS);
                    try (DatagramSocket from = new DatagramSocket()) {
                        from.send(new DatagramPacket(new byte[1], 1, loopback, socket.getLocalPort()));
                    }
                });
                receive(socket, new DatagramPacket(new byte[1], 1));
                sends.join();
            });
        }
        try (FileInputStream in = new FileInputStream(pipe); RandomAccessFile asks = new RandomAccessFile(other, "rw")) {
            told("fileRead", () -> {
                asks.write(1);
                fileRead(in);
            });
        }
        try (RandomAccessFile file = new RandomAccessFile(path, "rw")) {
            told("fileSync", () -> {
                file.write(new byte[4096]);
                fileSync(file);
            });
        }
        int[] number = {0};
        told("lookup", () -> lookup("heddle-" + number[0]++ + ".invalid"));
    }

    private static void all(String[] arguments) {
        try {
            streams();
            channels();
            accepts();
            writes();
            connects();
            others(arguments[1], arguments[2], arguments[3]);
        } catch (Exception failed) {
            failed.printStackTrace();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Thread thread;
        if (arguments[0].equals("virtual")) {
            Method method = Thread.class.getMethod("startVirtualThread", Runnable.class);
            thread = (Thread) method.invoke(null, (Runnable) () -> all(arguments));
        } else {
            thread = new Thread(() -> all(arguments), "waits");
            thread.start();
        }
        thread.join();
    }
}
