import { loadOnce } from '../../../core/load-once.ts';
import type { BuiltinToolId } from '../../../domain/tools/builtin/index.ts';
import type { AnyBuiltinRunner } from '../../tool-support/builtin-runner.ts';

/** Loaded when they run first. */
const runners: Record<BuiltinToolId, () => Promise<AnyBuiltinRunner>> = {
  'date-time': loadOnce(async () => (await import('./date-time.ts')).dateTime),
};

export const builtinRunnerOf = (id: string): Promise<AnyBuiltinRunner> => runners[id as BuiltinToolId]();
