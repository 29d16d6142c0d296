import { expect, test } from 'vitest';
import { a2aPort } from '../../../../shared/adapters/a2a-client/a2a-adapter.ts';
import { UrlRefused } from '../../../../shared/adapters/net/addresses.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { fakeDns } from '../../../support/servers/fake-dns.ts';
import { trap } from '../../../support/servers/trap.ts';
import { addressesFor, ssrfCorpus } from '../net/ssrf-corpus.ts';

fakeDns(addressesFor);

test.each(['JSONRPC', 'HTTP+JSON'])(
  '%s: no hostile address of the corpus is reached',
  async (protocolBinding) => {
    const { port, connections } = await trap();
    for (const each of Object.values(ssrfCorpus).flat()) {
      const url = each.replaceAll('PORT', String(port));
      const agent = { url, protocolBinding, protocolVersion: '1.0', streaming: true };
      const { signal } = new AbortController();
      const request = { agent, headers: {}, parts: [{ text: 'x' }], timeoutMs: 5_000, retries: 3, signal };
      const failure = await stepFailure(Array.fromAsync(a2aPort.send(request)));
      expect(failure, url).toBeInstanceOf(UrlRefused);
      expect(connections(), url).toBe(0);
    }
  },
);
