import type { TaskOwner } from '../../domain/a2a-tasks/task-store.ts';
import type { ExposedItem } from '../../domain/surfaces/exposed-item.ts';
import type { Principal } from '../../platform/identity/principal.ts';

export interface A2aCall {
  principal: Principal;
  /** Whose tasks the caller sees: those of the same key of the surface, or of the same user. */
  owner: TaskOwner;
  /** What the caller may run. */
  items: readonly ExposedItem[];
  /** How many runs are above those that it starts. */
  depth: number;
  requestId: string;
  timeLeftMs: number;
  /** Aborted when the caller is gone, or this process must end. */
  signal: AbortSignal;
}
