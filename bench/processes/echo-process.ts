// Baseline for the intake: default Fastify that parses the body and sends it back, without storing anything.
import Fastify from 'fastify';
import { answerParent } from './messages.ts';

const commands = {
  async start(): Promise<string> {
    const app = Fastify();
    app.post('/webhook/third-party/order', async (request) => request.body);
    return app.listen({ host: '127.0.0.1', port: 0 });
  },
};

export type EchoCommands = typeof commands;

answerParent(commands);
