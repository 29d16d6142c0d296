import * as z from 'zod';
import { idOf } from '../../shared/core/ids.ts';

export const BatchParams = z.object({ id: idOf('batch') });
