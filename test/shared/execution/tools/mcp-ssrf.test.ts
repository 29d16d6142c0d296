import { expect, test } from 'vitest';
import { mcpPort } from '../../../../shared/adapters/mcp-client/mcp-adapter.ts';
import type { McpRequest } from '../../../../shared/adapters/ports/mcp-port.ts';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import { fakeDns } from '../../../support/servers/fake-dns.ts';
import { allowHost, loopback } from '../../../support/servers/loopback.ts';
import { trap } from '../../../support/servers/trap.ts';
import { addressesFor, ssrfCorpus } from '../../adapters/net/ssrf-corpus.ts';
import '../../../support/suite/fresh-modules.ts';

fakeDns(addressesFor);
const corpus = Object.values(ssrfCorpus).flat();
const port = mcpPort('tenant');

const requests = {
  list: (request: McpRequest) => port.listTools(request),
  call: (request: McpRequest) => port.callTool({ ...request, toolName: 'it', args: {} }),
};
const cases = (['streamable_http', 'rest'] as const).flatMap((transport) =>
  (['list', 'call'] as const).map((what) => [transport, what] as const),
);

/** What became of the request: refused for good, or something that should not be. */
async function outcomeOf(
  what: 'list' | 'call',
  request: Omit<McpRequest, 'headers' | 'timeoutMs' | 'signal'>,
) {
  const { signal } = new AbortController();
  try {
    const outcome = await requests[what]({ ...request, headers: { a: 'b' }, timeoutMs: 5_000, signal });
    return 'status' in outcome && (outcome.status ?? 0) >= 300 ? 'refused' : 'answered';
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    return error.retryable ? `tried: ${error.message}` : 'refused';
  }
}

test.each(cases)('%s: %s reaches no hostile address of the corpus', async (transport, what) => {
  const { port: trapped, connections } = await trap();
  for (const each of corpus) {
    const url = each.replaceAll('PORT', String(trapped));
    expect(await outcomeOf(what, { url, transport }), url).toBe('refused');
    expect(connections(), url).toBe(0);
  }
});

test.each(cases)('%s: %s follows no redirect to a hostile address', async (transport, what) => {
  const { port: trapped, connections } = await trap();
  let location = '';
  const { url, host } = await loopback((_request, response) => response.writeHead(307, { location }).end());
  allowHost(host);
  for (const each of corpus) {
    location = Buffer.from(each.replaceAll('PORT', String(trapped)).replace(/[\0\n]/g, '')).toString(
      'latin1',
    );
    if (URL.canParse(location.trim(), url) && new URL(location.trim(), url).origin !== url) {
      expect(await outcomeOf(what, { url, transport }), location).toBe('refused');
    }
    expect(connections(), location).toBe(0);
  }
});
