import * as z from 'zod';
import { unsupported } from '../chat/message-schemas.ts';
import { acceptDropped } from '../dropped-members.ts';

const partsMax = 1_000;
const ofItem = acceptDropped('responseItem');

const InputText = z.strictObject({ ...ofItem, type: z.literal('input_text'), text: z.string() });
const InputImage = z.strictObject({
  ...ofItem,
  ...acceptDropped('image'),
  type: z.literal('input_image'),
  image_url: z.string().min(1).meta({ description: 'A data: URL, or an http or https URL' }),
  file_id: unsupported,
});
const InputFile = z.strictObject({
  ...ofItem,
  ...acceptDropped('image'),
  type: z.literal('input_file'),
  file_data: z.string().min(1).meta({ description: 'A data: URL, such as data:application/pdf;base64,…' }),
  filename: z.string().min(1).max(255).nullish(),
  file_id: unsupported,
  file_url: unsupported,
});
const OutputText = z.strictObject({ ...ofItem, type: z.literal('output_text'), text: z.string() });
const Refusal = z.strictObject({ ...ofItem, type: z.literal('refusal'), refusal: z.string() });

const InputPart = z.discriminatedUnion('type', [InputText, InputImage, InputFile, OutputText, Refusal]);
export type InputPart = z.infer<typeof InputPart>;

const InputMessage = z.strictObject({
  ...ofItem,
  type: z.literal('message').optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(InputPart).max(partsMax)]),
});

const direct = z.looseObject({ type: z.literal('direct') });

/** Of a call and its output. Calls by programs and names within namespaces are of hosted tools. */
const ofCall = {
  ...ofItem,
  call_id: z.string().min(1).max(255),
  caller: direct.nullish().meta({ description: 'Only the model itself' }),
  namespace: unsupported,
};

const FunctionCall = z.strictObject({
  ...ofCall,
  type: z.literal('function_call'),
  name: z.string().min(1).max(255),
  arguments: z.string(),
  async: z.literal(false).nullish(),
});

const OutputPart = z.discriminatedUnion('type', [InputText, InputImage, InputFile]);

const FunctionOutput = z.strictObject({
  ...ofCall,
  type: z.literal('function_call_output'),
  output: z.union([z.string(), z.array(OutputPart).max(partsMax)]).meta({
    description: 'Images and files follow the results of all calls, as a message of the user',
  }),
  name: z.string().nullish().meta({ description: 'Ignored: the call has it' }),
});

const Reasoning = z.looseObject({ type: z.literal('reasoning') }).meta({ description: 'Ignored' });

const ItemReference = z
  .looseObject({ type: z.literal('item_reference') })
  .superRefine((_item, { addIssue }) =>
    addIssue({
      code: 'custom',
      params: { code: 'NOT_SUPPORTED' },
      message:
        'Items are not found by their ids. Send them whole (the AI SDK does with store: false), or continue by previous_response_id',
    }),
  )
  .meta({ description: 'Not supported: send the item itself' });

export const InputItem = z.union([
  z.discriminatedUnion('type', [FunctionCall, FunctionOutput, Reasoning, ItemReference]),
  InputMessage,
]);
export type InputItem = z.infer<typeof InputItem>;
export type InputMessage = z.infer<typeof InputMessage>;
