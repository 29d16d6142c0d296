import { missingPermission } from '../../../core/errors/errors.ts';
import { covers } from '../../../platform/identity/permissions.ts';

const ofTarget = /^(agent|flow)\/(.+)$/s;

interface Named {
  kind: 'agent' | 'flow';
  idOrName: string;
}

/** The flow or agent that a model names; undefined for a model itself. */
export function parseTargetName(model: string): Named | undefined {
  const [, kind, idOrName = ''] = ofTarget.exec(model) ?? [];
  return kind === undefined ? undefined : { kind: kind as Named['kind'], idOrName };
}

/** @throws 403 if the caller may not run whoever answers */
export function assertMayAsk(permissions: readonly string[], named: Named | undefined): void {
  const permission = named?.kind === 'agent' ? 'AGENTS:EXECUTE' : 'FLOWS:EXECUTE';
  if (!covers(permissions, permission)) throw missingPermission(permission);
}
