import plugin from '@scalar/fastify-api-reference';

/**
 * The script of Scalar's reference page. It is taken from their plugin for Fastify, which holds it whole; its own
 * package would install the 250 packages that it is built of.
 */
export function referenceScript(): string {
  let script = '';
  const reply = { header: () => reply, send: (body: string) => body };
  const route = ({ url, handler }: Route) => {
    if (url.endsWith('.js')) script = handler({}, reply);
  };
  const server = { route, initialConfig: {} };
  plugin(server as never, { configuration: { url: 'openapi.json' } }, () => {});
  return script;
}

interface Route {
  url: string;
  handler: (request: object, reply: object) => string;
}
