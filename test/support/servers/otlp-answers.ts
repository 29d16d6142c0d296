import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import definitions from 'otlp-definitions/build/src/generated/root.js';

// biome-ignore lint/suspicious/noExplicitAny: the types of the definitions name none of them
const { opentelemetry } = definitions as any;
/** OpenTelemetry's own definition of the response. */
const ExportResponse = opentelemetry.proto.collector.trace.v1.ExportTraceServiceResponse;

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const partial =
  (rejectedSpans: number, message: (request: IncomingMessage) => string): Answer =>
  (response, request) => {
    const partialSuccess = { rejectedSpans, errorMessage: message(request) };
    response.writeHead(200, { 'content-type': 'application/x-protobuf' });
    response.end(ExportResponse.encode({ partialSuccess }).finish());
  };

const repeated =
  (piece: Buffer, everyMs: number): Answer =>
  (response) => {
    response.writeHead(200);
    response.write(piece);
    const timer = setInterval(() => response.write(piece), everyMs);
    response.on('close', () => clearInterval(timer));
  };

/** What collectors answer with 200, beside nothing. */
export const oddAnswers: Record<string, Answer> = {
  rejected: partial(1, () => 'it is too old'),
  silent: partial(1, () => ''),
  warned: partial(0, () => 'send fewer attributes'),
  echo: partial(1, ({ headers }) => `bad key in ${headers.authorization}`),
  dripping: repeated(Buffer.from('x'), 100),
  endless: repeated(Buffer.alloc(1_000_000), 1),
  garbage: (response) => response.end('<html>hello</html>'),
  packed: (response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.end(gzipSync(Buffer.alloc(100_000_000)));
  },
  cut: (response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('abc');
    setTimeout(() => response.destroy(), 50);
  },
};
