import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { defaultLimits } from '../../../shared/platform/auth/rate-limit-windows.ts';
import { gatewayResponses } from '../../gateway-responses.ts';
import { writeRaw } from '../runtime/http-messages.ts';
import { headersTooLarge, requestTooSlow } from './limits.ts';

/** Responds to what is no HTTP request as Node does by itself, with a body that says what is wrong. */
export function refuseMalformed(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Answering) => {
    // A part of another response would follow.
    if (!socket.writable || socket._httpMessage?.headersSent) socket.destroy(error);
    else writeRaw(socket, refusalOf(error.code));
  });
}

/** Node has no public member for the response that a connection sends; its own handler reads this one. */
type Answering = Socket & { _httpMessage?: ServerResponse | null };

function refusalOf(code: string | undefined) {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge();
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTooSlow();
  const { body, ...malformed } = gatewayResponses(defaultLimits().perHour).DEFAULT_4XX;
  return { ...malformed, body: JSON.stringify(body) };
}
