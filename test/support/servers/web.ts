import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { allowHost, loopback } from './loopback.ts';

export interface WebRequest {
  method: string;
  /** With the query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface WebAnswer {
  status?: number;
  type?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

/** A server that steps may reach though it is on the loopback, and what it was asked. */
export async function web(
  answer: (asked: WebRequest) => WebAnswer | undefined | Promise<WebAnswer | undefined>,
) {
  const asked: WebRequest[] = [];
  const { url, host } = await loopback(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const one = { method, path, headers, body: await text(request) };
    asked.push(one);
    send(response, await answer(one));
  });
  allowHost(host);
  return { url, host, asked };
}

function send(response: ServerResponse, answer: WebAnswer = { status: 404, body: 'Nothing here' }): void {
  const { status = 200, type, headers, body = '' } = answer;
  response.writeHead(status, { ...(type && { 'content-type': type }), ...headers }).end(body);
}

export const jsonWebAnswer = (value: unknown, more: WebAnswer = {}): WebAnswer => ({
  type: 'application/json',
  body: JSON.stringify(value),
  ...more,
});

export const html = (body: string, more: WebAnswer = {}): WebAnswer => ({
  type: 'text/html; charset=utf-8',
  body,
  ...more,
});
