import { NUMBER_TYPES, type NumberType } from './profile.ts';

const READERS: Readonly<Record<NumberType, (bytes: Buffer, at: number) => number>> = {
  u8: (bytes, at) => bytes.readUInt8(at),
  i8: (bytes, at) => bytes.readInt8(at),
  u16be: (bytes, at) => bytes.readUInt16BE(at),
  u16le: (bytes, at) => bytes.readUInt16LE(at),
  i16be: (bytes, at) => bytes.readInt16BE(at),
  i16le: (bytes, at) => bytes.readInt16LE(at),
  u24be: (bytes, at) => bytes.readUIntBE(at, 3),
  u24le: (bytes, at) => bytes.readUIntLE(at, 3),
  u32be: (bytes, at) => bytes.readUInt32BE(at),
  u32le: (bytes, at) => bytes.readUInt32LE(at),
  i32be: (bytes, at) => bytes.readInt32BE(at),
  i32le: (bytes, at) => bytes.readInt32LE(at),
  f32be: (bytes, at) => sevenDigits(bytes.readFloatBE(at)),
  f32le: (bytes, at) => sevenDigits(bytes.readFloatLE(at)),
};

/** The number at a position; undefined if the bytes end before it does. */
export const readNumber = (bytes: Buffer, at: number, type: NumberType): number | undefined =>
  at + NUMBER_TYPES[type] > bytes.length ? undefined : READERS[type](bytes, at);

/** A float of four bytes has seven digits: 22.7 is 22.700000762939453. */
const sevenDigits = (value: number): number => Number(value.toPrecision(7));
