import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { chatChecks } from './chat-webhooks.ts';
import { serveHttp } from './serve.ts';

export interface ReceivedWebhook {
  headers: Record<string, string>;
  body: string;
}

/**
 * Receives webhooks. `POST <url>/<name>?answers=500,200` is answered with these statuses in turn, and with the last one
 * from then on, or never with `answers=silent`. With `as=slack` or `as=teams` the body of each is refused that those refuse.
 * `GET <url>/<name>` lists what came.
 */
export async function startWebhookReceiver() {
  const received = new Map<string, ReceivedWebhook[]>();

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://receiver');
    const before = received.get(pathname) ?? [];
    if (request.method === 'GET') return void response.end(JSON.stringify(before));
    const headers = request.headers as Record<string, string>;
    const body = await text(request);
    received.set(pathname, [...before, { headers, body }]);
    if (!isTaken(body, searchParams.get('as'))) return void response.writeHead(400).end();
    const answers = (searchParams.get('answers') ?? '204').split(',');
    const answer = answers[before.length] ?? answers.at(-1);
    if (answer === 'silent') return;
    const status = Number(answer);
    response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end();
  }

  return serveHttp((request, response) => void respond(request, response));
}

function isTaken(body: string, chat: string | null): boolean {
  try {
    chatChecks[chat ?? '']?.(body);
    return true;
  } catch {
    return false;
  }
}
