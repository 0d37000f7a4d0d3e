// The yardstick of the intake: Fastify as it comes, parsing the body and sending it back. Durable it is not.
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
