import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { finished } from 'node:stream/promises';
import { CliError } from '../cli-error.ts';

/** What the person decided in the browser, which waits for a page. */
interface Answer {
  /** Absent if the person denied the login. */
  code: string | undefined;
  show: (page: keyof typeof pages) => Promise<void>;
}

const pages = {
  done: ['You are logged in', 'You can close this window and go back to the terminal.'],
  denied: ['You denied the login', 'You can close this window.'],
  failed: ['The login failed', 'The terminal says why. You can close this window.'],
  foreign: ['This is no answer to a login', 'Run agent-flow login, and open the address that it prints.'],
} as const;

const style =
  ':root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}main{max-width:30rem;margin:15vh auto 0;padding:0 1.5rem}';
const styleHash = createHash('sha256').update(style).digest('base64');
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  connection: 'close',
};

/** A port of this computer alone, to which the browser brings the code. It takes one answer, and only with its state. */
export async function openLoopback() {
  const state = randomBytes(32).toString('base64url');
  const answer = Promise.withResolvers<Answer>();
  const server = createServer(({ method, url = '' }, response) => {
    const sent = URL.parse(url, 'http://127.0.0.1');
    const isAnswer = method === 'GET' && sent?.pathname === '/callback';
    // Any page in the browser may send requests here.
    if (!isAnswer || sent.searchParams.get('state') !== state) return send(response, 'foreign', 400);
    const code = sent.searchParams.get('code') ?? undefined;
    answer.resolve({ code, show: (page) => send(response, page) });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    state,
    /** @throws CliError if nobody answers until the signal */
    answer(signal: AbortSignal): Promise<Answer> {
      const giveUp = () =>
        answer.reject(new CliError('Nobody answered in the browser in time. Run: agent-flow login'));
      signal.addEventListener('abort', giveUp, { once: true });
      return answer.promise;
    },
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function send(response: ServerResponse, page: keyof typeof pages, status = 200): Promise<void> {
  const [title, text] = pages[page];
  response.writeHead(status, headers);
  response.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style><main><h1>${title}</h1><p>${text}</p></main></html>`,
  );
  // A browser that has gone needs no page.
  await finished(response).catch(() => {});
}
