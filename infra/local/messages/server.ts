import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { log } from '../../../shared/core/log.ts';
import { isFullDisk } from '../runtime/full-disk.ts';
import { close, httpServer, listen } from '../runtime/server.ts';
import { putEvents } from './event-bridge.ts';
import { openOutbox } from './outbox.ts';
import { RejectedRequest } from './rejected-request.ts';
import { handleSendEmail } from './ses.ts';
import { errorXml, publish } from './sns.ts';

type Headers = Record<string, string>;
interface Answer {
  status: number;
  headers: Headers;
  body: string;
}

/** SES, SNS and EventBridge on one port: what they are given ends in the outbox. */
export async function startMessages(directory: string | undefined) {
  const outbox = openOutbox(directory);
  const server = httpServer(async (request, response) => {
    const protocol = protocolOf(request);
    const { status, headers, body } = await text(request)
      .then((sent) => protocol.answer(sent))
      .catch((error) => failure(error, protocol));
    response.writeHead(status, headers).end(body);
  });

  /** Distinguishes the services by their protocols. */
  function protocolOf({ method, url, headers }: IncomingMessage): Protocol {
    const target = headers['x-amz-target'];
    if (target !== undefined)
      return json('application/x-amz-json-1.1', (sent) => putEvents(outbox, String(target), sent));
    if (headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
      return {
        answer: (sent) => ({ status: 200, headers: xml, body: publish(outbox, sent) }),
        refuse: refuseInXml,
      };
    }
    return json('application/json', (sent) => {
      if (method === 'POST' && url === '/v2/email/outbound-emails') return handleSendEmail(outbox, sent);
      throw new RejectedRequest(
        'UnknownOperationException',
        `This stand-in does not implement the operation: ${method} ${url}`,
      );
    });
  }

  const port = await listen(server, 0, '127.0.0.1');
  return {
    endpoint: `http://127.0.0.1:${port}`,
    routes: outbox.routes,
    async stop() {
      await close(server);
      outbox.close();
    },
  };
}

interface Protocol {
  answer: (sent: string) => Answer;
  refuse: (status: number, code: string, message: string) => Answer;
}

const json = (type: string, perform: (sent: string) => object): Protocol => ({
  answer: (sent) => ({ status: 200, headers: { 'content-type': type }, body: JSON.stringify(perform(sent)) }),
  refuse: (status, code, message) => ({
    status,
    headers: { 'content-type': type, 'x-amzn-errortype': code },
    body: JSON.stringify({ __type: code, message }),
  }),
});

const xml = { 'content-type': 'text/xml' };
const refuseInXml: Protocol['refuse'] = (status, code, message) => ({
  status,
  headers: xml,
  body: errorXml(code, message, status < 500 ? 'Sender' : 'Receiver'),
});

function failure(error: unknown, { refuse }: Protocol): Answer {
  if (error instanceof RejectedRequest) return refuse(400, error.code, error.message);
  if (error instanceof z.ZodError || error instanceof SyntaxError) {
    return refuse(400, 'BadRequestException', error.message);
  }
  log.error('The stand-in of SES, SNS and EventBridge failed', { error });
  return refuse(isFullDisk(error) ? 507 : 500, 'InternalFailure', 'Internal error');
}
