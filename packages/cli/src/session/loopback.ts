import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
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
  opened: [
    'This address was opened before',
    'The login has ended, because it may have been somebody else. Run agent-flow login again.',
  ],
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

/**
 * A port of this computer alone. It leads the browser to the page of the login, once, and takes the code that the browser
 * brings, only with its state. Other users of the computer get neither where their requests can be told apart.
 */
export async function openLoopback() {
  const [state, ticket] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')];
  const answer = Promise.withResolvers<Answer>();
  // Before anybody waits for it.
  answer.promise.catch(() => {});
  let page: string | undefined;
  let isOpened = false;
  function lead(response: ServerResponse, to: string): void {
    if (!isOpened) {
      isOpened = true;
      response.writeHead(302, { ...headers, location: to }).end();
      return;
    }
    void send(response, 'opened', 410);
    answer.reject(
      new CliError('The page of the login was opened twice, perhaps by somebody else. Run: agent-flow login'),
    );
  }
  const server = createServer(({ method, url = '', socket }, response) => {
    const sent = URL.parse(url, 'http://127.0.0.1');
    if (method !== 'GET' || !isOwnPeer(socket)) return void send(response, 'foreign', 403);
    if (page !== undefined && sent?.pathname === `/login/${ticket}`) return lead(response, page);
    const isAnswer = sent?.pathname === '/callback';
    // Any page in the browser may send requests here.
    if (!isAnswer || sent?.searchParams.get('state') !== state) return void send(response, 'foreign', 400);
    const code = sent.searchParams.get('code') ?? undefined;
    answer.resolve({ code, show: (shown) => send(response, shown) });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    state,
    /** @returns an address that may stand in the list of processes: it leads to the page once. */
    leadTo(address: string): string {
      page = address;
      return `http://127.0.0.1:${port}/login/${ticket}`;
    },
    /** @throws CliError if nobody answers until the signal, or if the page was opened twice */
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

/**
 * Whether a connection of this computer is of this user, as Linux tells. Root may be a program that passes on what a browser
 * outside of a container or of WSL sends; elsewhere nobody tells.
 */
function isOwnPeer({ remotePort, localPort }: Socket): boolean {
  const uid = uidOf(remotePort ?? 0, localPort ?? 0);
  return uid === undefined || uid === 0 || uid === process.getuid?.();
}

function uidOf(from: number, to: number): number | undefined {
  const port = (number: number) => number.toString(16).toUpperCase().padStart(4, '0');
  // D107
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    try {
      for (const line of readFileSync(table, 'utf8').split('\n').slice(1)) {
        const [, local = '', remote = '', , , , , uid] = line.trim().split(/\s+/);
        if (local.endsWith(`:${port(from)}`) && remote.endsWith(`:${port(to)}`)) return Number(uid);
      }
    } catch {
      // Not Linux.
    }
  }
  return undefined;
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
