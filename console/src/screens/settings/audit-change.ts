import { isObject, type JsonObject } from '../../ui/values/schema.ts';

interface Entry {
  action: string;
  details: JsonObject;
}

/**
 * What an entry changed. The log has the values that each change set: those before it are in the entries before it,
 * as far back as the log goes.
 *
 * @param earlier Entries of the same target, newest first.
 */
export function auditChange({ action, details }: Entry, earlier: readonly Entry[]) {
  const knownDetails: JsonObject = {};
  for (const entry of earlier.toReversed()) Object.assign(knownDetails, entry.details);
  if (/[.-](deleted|removed)$/.test(action)) return { before: knownDetails, after: {} };
  const names = Object.keys(details).filter((name) => Object.hasOwn(knownDetails, name));
  const before = Object.fromEntries(names.map((name) => [name, knownDetails[name]]));
  return { before, after: details };
}

/** Entries of several things at once name none of them alone. */
export const isOneTarget = (targetId: string) => /^[a-z]+_[0-9a-z]{26}$/.test(targetId);

export const hasDetails = (details: unknown) => isObject(details) && Object.keys(details).length > 0;
