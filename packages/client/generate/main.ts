import { writeTypes } from './write-types.ts';

writeTypes();
