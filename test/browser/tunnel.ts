// A proxy between phone and service that simulates a tunnel. Inside, connections are either refused or accepted without
// ever being answered.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Tunnel {
  /** The service's address outside the tunnel. */
  address: string;
  enter(): void;
  /** Connections made inside accept data but never answer, even after the phone has left the tunnel. */
  enterSilently(): void;
  leave(): void;
  close(): Promise<void>;
}

export async function digTunnel(serviceAddress: string): Promise<Tunnel> {
  const { hostname, port } = new URL(serviceAddress);
  const sockets = new Set<Socket>();
  let place: 'outside' | 'cut' | 'silent' = 'outside';
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((phone) => {
    keep(phone);
    phone.on('error', () => phone.destroy());
    if (place === 'cut') phone.destroy();
    else if (place === 'silent') phone.resume();
    else {
      const service = connect(Number(port), hostname);
      keep(service);
      service.on('error', () => service.destroy());
      service.on('close', () => phone.destroy());
      phone.on('close', () => service.destroy());
      phone.pipe(service).pipe(phone);
    }
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    enter() {
      place = 'cut';
      cut();
    },
    enterSilently() {
      place = 'silent';
      cut();
    },
    leave() {
      place = 'outside';
    },
    close() {
      cut();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
