import { type Static, Type } from 'typebox';

const closed = { additionalProperties: false };
/** Records are closed too, because a value under a key that does not match the pattern would not be checked. */
const upTo = (maxProperties: number) => ({ maxProperties, ...closed });
const Scalar = Type.Union([Type.String({ maxLength: 64 }), Type.Number(), Type.Boolean(), Type.Null()]);
/** Keys of nested objects, such as device.lastReading.tank. `*` stands for every key of one object. */
export const Path = Type.String({ pattern: '^[^.\\s]{1,64}(\\.[^.\\s]{1,64}){0,7}$' });
export const NAME_PATTERN = '^[a-z0-9]+(-[a-z0-9]+)*$';
export const HEX_PATTERN = '^([0-9a-f]{2}){1,8}$';
const Hex = Type.String({ pattern: HEX_PATTERN });

export const NUMBER_TYPES = {
  u8: 1,
  i8: 1,
  u16be: 2,
  u16le: 2,
  i16be: 2,
  i16le: 2,
  u24be: 3,
  u24le: 3,
  u32be: 4,
  u32le: 4,
  i32be: 4,
  i32le: 4,
  f32be: 4,
  f32le: 4,
} as const;
export type NumberType = keyof typeof NUMBER_TYPES;
const NumberTypeName = Type.Unsafe<NumberType>({ type: 'string', enum: Object.keys(NUMBER_TYPES) });

/**
 * Where a value is (`at`, `path`, `part` or `after`), and how it is converted, in this order: bits, map, is or below,
 * none, min and max, polynomial, scale, offset.
 */
const ProfileField = Type.Object(
  {
    at: Type.Optional(Type.Integer({ minimum: 0, maximum: 511 })),
    type: Type.Optional(NumberTypeName),
    /** The lowest bit and the number of bits. */
    bits: Type.Optional(
      Type.Tuple([Type.Integer({ minimum: 0, maximum: 31 }), Type.Integer({ minimum: 1, maximum: 31 })]),
    ),
    path: Type.Optional(Path),
    /** The number of a part of a text, from 0. */
    part: Type.Optional(Type.Integer({ minimum: 0, maximum: 63 })),
    /** The text before the value in its part, such as `L=`, for a text whose parts are named. */
    after: Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
    /** The value for each value that is sent; `*` for all others. `$` stands for the value itself. */
    map: Type.Optional(Type.Record(Type.String(), Scalar, upTo(64))),
    /** True for these values, false for others. */
    is: Type.Optional(Type.Array(Scalar, { minItems: 1, maxItems: 16 })),
    /** True for numbers below this one, false for others. */
    below: Type.Optional(Type.Number()),
    /** The values that the device sends if it has no reading: a list, or each value with its meaning. */
    none: Type.Optional(
      Type.Union([
        Type.Array(Scalar, { minItems: 1, maxItems: 16 }),
        Type.Record(Type.String(), Type.String({ minLength: 1, maxLength: 64 }), upTo(16)),
      ]),
    ),
    min: Type.Optional(Type.Number()),
    max: Type.Optional(Type.Number()),
    /** Multiplies by c0 + c1 x + c2 x^2, where x is another field: echo times that depend on the temperature. */
    polynomial: Type.Optional(
      Type.Object(
        { of: Type.String({ maxLength: 64 }), coefficients: Type.Array(Type.Number(), { minItems: 1, maxItems: 5 }) },
        closed,
      ),
    ),
    scale: Type.Optional(Type.Number()),
    offset: Type.Optional(Type.Number()),
  },
  closed,
);
export type ProfileField = Static<typeof ProfileField>;
const ProfileFields = Type.Record(Type.String(), ProfileField, upTo(64));
export type ProfileFields = Static<typeof ProfileFields>;

const When = Type.Object(
  {
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 255 })),
    length: Type.Optional(Type.Integer({ minimum: 0, maximum: 512 })),
    /** Bytes at a position: {"0": "10"}. */
    bytes: Type.Optional(Type.Record(Type.String({ pattern: '^[0-9]{1,3}$' }), Hex, upTo(8))),
    /** Values of a JSON message. */
    json: Type.Optional(Type.Record(Path, Scalar, upTo(8))),
  },
  closed,
);
export type When = Static<typeof When>;

const Frame = Type.Object(
  {
    about: Type.Optional(Type.String({ maxLength: 200 })),
    when: Type.Optional(When),
    /** Present if the message has no reading, such as the answer to a setting. */
    ignore: Type.Optional(Type.Literal(true)),
    /** Present if the message reports that there is no reading: the reason. */
    fault: Type.Optional(Type.String({ maxLength: 64 })),
    /** The path of the list of devices or readings in a JSON message. The paths of `fields` begin at its elements. */
    each: Type.Optional(Path),
    /** The template of the id of the device: {model}/{id}. If absent, the sender of the message identifies the device. */
    device: Type.Optional(Type.String({ pattern: '^[^{}]*(\\{[^{}\\s]{1,200}\\}[^{}]*){1,4}$', maxLength: 200 })),
    /** The same fields several times, newest first. */
    repeat: Type.Optional(
      Type.Object(
        {
          from: Type.Integer({ minimum: 0, maximum: 511 }),
          stride: Type.Integer({ minimum: 1, maximum: 64 }),
          count: Type.Integer({ minimum: 1, maximum: 64 }),
          fields: ProfileFields,
        },
        closed,
      ),
    ),
    /**
     * Values after tags: the number of bytes of a tag, and whether a byte with the length comes before the tag. Positions
     * count from the end of the tag.
     */
    tlv: Type.Optional(
      Type.Object(
        {
          tag: Type.Union([Type.Literal(1), Type.Literal(2)]),
          prefix: Type.Optional(Type.Literal('length')),
          items: Type.Record(Hex, ProfileFields, upTo(64)),
          /** Tags whose values are not used, with the number of bytes after each tag. */
          skip: Type.Optional(Type.Record(Hex, Type.Integer({ minimum: 0, maximum: 64 }), upTo(128))),
        },
        closed,
      ),
    ),
    fields: Type.Optional(ProfileFields),
  },
  closed,
);
export type Frame = Static<typeof Frame>;

/**
 * A gauge profile: a JSON file that describes how the messages of one model of device are decoded. Operators can write
 * their own. The name of a field contains the quantity and its unit, so that a profile has no other description of units.
 */
export const GaugeProfile = Type.Object(
  {
    profile: Type.String({ pattern: NAME_PATTERN, maxLength: 64 }),
    maker: Type.String({ maxLength: 100 }),
    device: Type.String({ maxLength: 200 }),
    /** The documents that describe the messages. */
    sources: Type.Optional(Type.Array(Type.String({ maxLength: 300 }), { minItems: 1, maxItems: 8 })),
    note: Type.Optional(Type.String({ maxLength: 1_000 })),
    /** The names of the model in network servers, such as dragino/ldds75. */
    models: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 32 })),
    input: Type.Enum(['bytes', 'json', 'text']),
    /** The separator of the parts of a text. */
    split: Type.Optional(Type.String({ minLength: 1, maxLength: 4 })),
    /** The first frame whose conditions a message meets decodes it. */
    frames: Type.Array(Frame, { minItems: 1, maxItems: 32 }),
  },
  closed,
);
export type GaugeProfile = Static<typeof GaugeProfile>;
