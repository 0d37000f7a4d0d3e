// A road between a phone and the service that leads through tunnels: inside, every connection is cut.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Tunnel {
  /** Where the service is reached from outside. */
  address: string;
  enter(): void;
  leave(): void;
  close(): Promise<void>;
}

export async function digTunnel(serviceAddress: string): Promise<Tunnel> {
  const { hostname, port } = new URL(serviceAddress);
  const sockets = new Set<Socket>();
  let isInside = false;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((phone) => {
    if (isInside) {
      phone.destroy();
      return;
    }
    const service = connect(Number(port), hostname);
    for (const [socket, other] of [
      [phone, service],
      [service, phone],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    phone.pipe(service).pipe(phone);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    enter() {
      isInside = true;
      cut();
    },
    leave() {
      isInside = false;
    },
    close() {
      cut();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
