import * as z from 'zod';

const partsMax = 1_000;

const InputText = z.strictObject({
  type: z.literal('input_text'),
  text: z.string(),
  prompt_cache_breakpoint: z.unknown().optional(),
});
const InputImage = z.strictObject({
  type: z.literal('input_image'),
  image_url: z.string().min(1).meta({ description: 'A data: URL, or an http or https URL' }),
  detail: z.enum(['auto', 'low', 'high', 'original']).nullish(),
});
const InputFile = z.strictObject({
  type: z.literal('input_file'),
  file_data: z.string().min(1).meta({ description: 'A data: URL, such as data:application/pdf;base64,…' }),
  filename: z.string().min(1).max(255).nullish(),
});
const OutputText = z.strictObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.unknown()).optional(),
  logprobs: z.array(z.unknown()).nullish(),
  // The package adds it to what it has parsed.
  parsed: z.unknown().optional(),
});
const Refusal = z.strictObject({ type: z.literal('refusal'), refusal: z.string() });

const InputPart = z.discriminatedUnion('type', [InputText, InputImage, InputFile, OutputText, Refusal]);
export type InputPart = z.infer<typeof InputPart>;

const ofItem = {
  id: z.string().nullish(),
  status: z.string().nullish(),
};

const InputMessage = z.strictObject({
  type: z.literal('message').optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(InputPart).max(partsMax)]),
  phase: z.string().nullish(),
  ...ofItem,
});

const FunctionCall = z.strictObject({
  type: z.literal('function_call'),
  call_id: z.string().min(1).max(255),
  name: z.string().min(1).max(255),
  arguments: z.string(),
  // The package adds it to what it has parsed.
  parsed_arguments: z.unknown().optional(),
  ...ofItem,
});

const FunctionOutput = z.strictObject({
  type: z.literal('function_call_output'),
  call_id: z.string().min(1).max(255),
  output: z.union([z.string(), z.array(InputText).max(partsMax)]),
  ...ofItem,
});

const Reasoning = z.looseObject({ type: z.literal('reasoning') }).meta({ description: 'Ignored' });

export const InputItem = z.union([
  z.discriminatedUnion('type', [FunctionCall, FunctionOutput, Reasoning]),
  InputMessage,
]);
export type InputItem = z.infer<typeof InputItem>;
export type InputMessage = z.infer<typeof InputMessage>;
