import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type ErrorCode, ServiceError } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';

/** What the caller has to change. */
const ofCaller: ReadonlySet<ErrorCode> = new Set(['VALIDATION', 'NOT_FOUND', 'FORBIDDEN', 'UNPROCESSABLE']);

export const failureMessage = ({ message, details }: ServiceError): string =>
  details.length === 0
    ? message
    : details.map((detail) => [detail.path, detail.message].filter(Boolean).join(': ')).join('\n');

/** Translates errors, because the SDK would send the message of any of them. @param requestId Stands for those of ours. */
export async function translateFailures<T>(requestId: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    const { InternalError, InvalidParams } = ProtocolErrorCode;
    if (error instanceof ServiceError) {
      throw new ProtocolError(
        ofCaller.has(error.code) ? InvalidParams : InternalError,
        failureMessage(error),
      );
    }
    log.error('A request of an MCP client failed', { error });
    throw new ProtocolError(InternalError, `Internal error. Request ${requestId}`);
  }
}
