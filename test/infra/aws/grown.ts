import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpoints } from '../../../functions/index.ts';
import { measureStack, type Sizes } from '../../../infra/aws/sizes/sizes.ts';
import { stackWithoutCode } from '../../../infra/aws/sizes/stack-without-code.ts';
import type { AnyEndpoint } from '../../../shared/platform/http/endpoint.ts';

const today: readonly AnyEndpoint[] = endpoints;

/** As many endpoints: those of today, and copies of them, with paths and groups of their own. */
function grownTo(count: number): AnyEndpoint[] {
  return Array.from({ length: count }, (_, index) => {
    const copy = Math.floor(index / today.length);
    const endpoint = today[index % today.length] as AnyEndpoint;
    if (copy === 0) return endpoint;
    const [group, verb] = endpoint.id.split('.');
    return {
      ...endpoint,
      id: `${group}-${copy}.${verb}` as const,
      path: `/copy-${copy}${endpoint.path}` as const,
    };
  });
}

/** The sizes of a deployment with as many endpoints. */
export function sizesAt(count: number, context: Record<string, string>): Sizes {
  using directory = mkdtempDisposableSync(join(tmpdir(), 'grown-'));
  return measureStack(stackWithoutCode({ directory: directory.path, context, endpoints: grownTo(count) }));
}
