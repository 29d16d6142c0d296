import { Readable } from 'node:stream';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';

interface Ended {
  event: APIGatewayProxyEvent;
  response: APIGatewayProxyResult | null;
}

/** Answers HEAD as GET without its content (RFC 9110, 9.3.2). */
export function withoutContent() {
  const drop = ({ event, response }: Ended): void => {
    if (event.httpMethod !== 'HEAD' || !response) return;
    const body: unknown = response.body;
    if (body instanceof Readable) body.destroy();
    response.body = '';
  };
  return { after: drop, onError: drop };
}
