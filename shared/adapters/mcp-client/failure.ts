import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { StepError } from '../../core/errors/step-error.ts';
import type { McpFailure } from '../ports/mcp-port.ts';
import { Unauthorized } from './guarded-fetch.ts';

/** What an error of a session tells. @throws StepError for what is not in the words of the server. */
export function toMcpFailure(error: unknown): McpFailure {
  if (error instanceof StepError) throw error;
  if (error instanceof Unauthorized) {
    const { text: failure, status, challenge } = error;
    return { failure, status, ...(challenge !== undefined && { challenge }) };
  }
  if (error instanceof SdkHttpError) return httpFailure(error);
  if (error instanceof ProtocolError) return protocolFailure(error);
  if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType) throw asksBack(error);
  throw new StepError('The MCP server does not follow the protocol', { cause: error });
}

function httpFailure({ data: { status, text } }: SdkHttpError): McpFailure {
  if (status >= 400) return { failure: String(text ?? ''), status };
  throw new StepError(
    'The MCP server redirects to another origin or method, which is not followed; give the URL of the server itself',
  );
}

function protocolFailure({ message, data }: ProtocolError): McpFailure {
  if (data instanceof StepError) throw data;
  return { failure: message };
}

const asksBack = (cause: Error) =>
  new StepError('The tool asks its caller for input, which is not supported', { cause });
