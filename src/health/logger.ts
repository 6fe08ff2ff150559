import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { errorCode } from '../values/error_code.ts';

/** Data exceptions of PostgreSQL, such as 22P02: `invalid input syntax for type uuid: "maria@example.com"`. */
const NAMES_A_VALUE = /^22[0-9A-Z]{3}$/;

/** The fields of an error that are logged. Others, such as `detail` and `where` of PostgreSQL, contain values of rows. */
const LOGGED_FIELDS = ['constraint', 'table'] as const;

/** The largest depth of logged causes, because an error can be its own cause. */
const MAX_CAUSES = 5;

interface LoggedError {
  type: string;
  message: string;
  stack: string;
  code?: string;
  constraint?: string;
  table?: string;
  cause?: unknown;
  aggregateErrors?: unknown[];
}

/** Returns the loggable part of an error: its origin and its kind, without values of rows or requests. */
export const loggedError = (error: unknown): unknown => withCauses(error, MAX_CAUSES);

function withCauses(error: unknown, causesLeft: number): unknown {
  if (!(error instanceof Error)) return error;
  const code = errorCode(error);
  const message = NAMES_A_VALUE.test(code ?? '') ? '(not logged, because it can contain a value)' : error.message;
  const logged: LoggedError = { type: error.constructor.name, message, stack: stackOf(error, message) };
  if (code !== undefined) logged.code = code;
  for (const name of LOGGED_FIELDS) {
    const value: unknown = Reflect.get(error, name);
    if (typeof value === 'string') logged[name] = value;
  }
  if (causesLeft === 0) return logged;
  if (error.cause !== undefined) logged.cause = withCauses(error.cause, causesLeft - 1);
  if (error instanceof AggregateError)
    logged.aggregateErrors = error.errors.map((part: unknown) => withCauses(part, causesLeft - 1));
  return logged;
}

/** Returns the stack without the name and the message at its beginning, if the message is not logged. */
function stackOf({ stack = '', message }: Error, loggedMessage: string): string {
  if (loggedMessage === message) return stack;
  const start = stack.indexOf(message);
  return start < 0 ? '' : stack.slice(start + message.length).trimStart();
}

/** The options of all loggers of Tankwatch. */
const LOGGER_OPTIONS = { serializers: { err: loggedError } } satisfies LoggerOptions;

export const createLogger = (role: string, level: string, destination: DestinationStream): Logger =>
  pino({ ...LOGGER_OPTIONS, level, base: { role } }, destination);
