import { Readable } from 'node:stream';
import type { APIGatewayProxyResult } from 'aws-lambda';

/** Middy writes longer texts to a stream in pieces, which may end in the middle of a character. */
const pieceMax = 16_384;

/** Has a streaming Lambda write its long texts as bytes. */
export function wholeTexts() {
  const toBytes = ({ response }: { response: APIGatewayProxyResult | null }): void => {
    if (typeof response?.body !== 'string' || response.body.length <= pieceMax) return;
    response.body = Readable.from([Buffer.from(response.body)]) as unknown as string;
  };
  return { after: toBytes, onError: toBytes };
}
