import { expect, test } from 'vitest';
import type { Ports } from '../../../../shared/adapters/ports.ts';
import { redactorOf } from '../../../../shared/core/redaction/redactor.ts';
import {
  type PortRedactions,
  portRedactions,
  redactedPorts,
} from '../../../../shared/execution/engine/secret-ports.ts';
import { emptyWorld } from '../../../support/ports.ts';

const redactor = redactorOf(new Map([['KEY', 'correct horse battery']]));

interface WithFax extends Ports {
  fax: () => Promise<string>;
}

test('a port that nobody has decided on does not compile, and is not passed on', () => {
  // @ts-expect-error: `fax` is missing.
  const decided: PortRedactions<WithFax> = portRedactions;
  expect(decided).not.toHaveProperty('fax');
  const ports: WithFax = { ...emptyWorld, fax: async () => 'sent' };
  const redacted = redactedPorts(ports, redactor);
  expect(Object.keys(redacted).toSorted()).toEqual(Object.keys(portRedactions).toSorted());
  expect(redacted).not.toHaveProperty('fax');
});
