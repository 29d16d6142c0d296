import { invalidAt } from '../../core/errors/errors.ts';

/** More than metadata of 256 KB can have. Beyond this, checks of each member of an object take seconds. */
const membersMax = 50_000;
/** About the shortest member: `"abc":1,`. */
const bytesMin = 6 * membersMax;

interface Place {
  value: unknown;
  key: string;
  holder: Place | undefined;
}

/** Accepts text that is not JSON. @throws ServiceError 400 with the path of an object with too many members. */
export function assertMemberCount(text: string): void {
  if (text.length < bytesMin) return;
  const open: Place[] = [{ value: parsed(text), key: '', holder: undefined }];
  for (let place = open.pop(); place; place = open.pop()) {
    const { value } = place;
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value) && Object.keys(value).length > membersMax) throw tooMany(pathOf(place));
    for (const [key, member] of Object.entries(value)) {
      if (typeof member === 'object' && member !== null) open.push({ value: member, key, holder: place });
    }
  }
}

/** Built only for the reported object: a body may be nested a million levels deep. */
function pathOf(place: Place): string[] {
  const path: string[] = [];
  for (let at = place; at.holder; at = at.holder) path.unshift(at.key);
  return path;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const tooMany = (path: string[]) =>
  invalidAt(path.join('.'), 'TOO_MANY_MEMBERS', `The object has more than ${membersMax} members`);
