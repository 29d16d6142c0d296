import { writeTypes } from './types.ts';

writeTypes();
