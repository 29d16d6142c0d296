import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { ResolvedModel } from '../../../shared/adapters/models/resolved-model.ts';
import { collect, type ModelEvent, type ModelRequest } from '../../../shared/adapters/ports/model-port.ts';
import { singleModelPorts } from '../models/model-ports.ts';
import { loopback } from '../servers/loopback.ts';
import type { ReceivedRequest, Reply, Wire } from './wire.ts';

/** What a stand-in does with a request, after the first replies of `failing`. */
export interface Behaviour {
  reply?: Reply;
  /** Status and headers of the first responses, which fail. */
  failing?: readonly { status: number; headers?: Record<string, string> }[];
  /** What the model config says. */
  model?: Partial<ResolvedModel>;
  /** Runs instead of an answer. */
  hangs?: () => void;
  /** Writes a stream in place of the wire's own frames. */
  stream?: (response: ServerResponse, frames: readonly (string | Uint8Array)[]) => unknown;
}

/** A provider's server for one test, and the model port that calls it. */
export async function startProvider(
  wire: Wire,
  { reply = { text: ['Hello ', 'Ada'] }, failing = [], model: config, hangs, stream }: Behaviour = {},
) {
  const received: ReceivedRequest[] = [];
  const server = await loopback(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const body = (await json(request)) as ReceivedRequest['body'];
    received.push({ method, path, headers, body });
    if (hangs) return hangs();
    const failure = failing[received.length - 1];
    if (failure) {
      const { status, headers: more } = failure;
      response.writeHead(status, { 'content-type': 'application/json', ...more });
      return response.end(JSON.stringify(wire.failure(status, `Failure ${status}`)));
    }
    if (!path.includes('tream') && !body.stream) {
      return response.setHeader('content-type', 'application/json').end(JSON.stringify(wire.whole(reply)));
    }
    response.setHeader('content-type', wire.contentType);
    const frames = wire.frames(reply);
    if (stream) return stream(response, frames);
    for (const frame of frames) response.write(frame);
    return response.end();
  });
  const { model } = singleModelPorts({
    provider: wire.provider,
    credentials: { apiKey: 'key-of-the-test', baseUrl: server.url, region: 'eu-central-1' },
    keySource: 'platform',
    ...config,
  });
  const ask = async (request: Partial<ModelRequest>) => {
    const events: ModelEvent[] = [];
    const seen = async function* () {
      for await (const event of model.stream({
        model: wire.modelId,
        streamed: false,
        signal: new AbortController().signal,
        messages: [{ role: 'user', content: 'Hello' }],
        ...wire.always,
        ...request,
      })) {
        events.push(event);
        yield event;
      }
    };
    return { ...(await collect(seen())), events };
  };
  return { received, model, ask };
}
