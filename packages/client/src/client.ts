import { Listing } from './listing.ts';
import { type CallOptions, type ClientOptions, type Query, Transport } from './transport.ts';
import type {
  Customer,
  CustomerListParameters,
  DeletedCustomer,
  DeletedTank,
  List,
  ListParameters,
  Tank,
  Telemetry,
} from './types.ts';

export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConnectionError,
  InvalidParametersError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  TankwatchError,
  TimeoutError,
} from './errors.ts';
export type { Listing } from './listing.ts';
export type { CallOptions, ClientOptions } from './transport.ts';
export type * from './types.ts';
export { verifyWebhook, type WebhookEvent, type WebhookMessage, WebhookVerificationError } from './webhook.ts';

/** An object that is not deleted. `deleted?: never` lets TypeScript narrow the type in `if (tank.deleted)`. */
export type Live<T> = T & { deleted?: never };

/** Reads customers, tanks and telemetry with one API key. */
export class Tankwatch {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  readonly customers = {
    list: (parameters: CustomerListParameters = {}, options?: CallOptions): Listing<Customer> =>
      this.#list('/v1/customers', parameters, options),

    retrieve: (id: string, options?: CallOptions): Promise<Live<Customer> | DeletedCustomer> =>
      this.#transport.get('customer', `/v1/customers/${encodeURIComponent(id)}`, {}, options),
  };

  readonly tanks = {
    list: (parameters: ListParameters = {}, options?: CallOptions): Listing<Tank> =>
      this.#list('/v1/tanks', parameters, options),

    retrieve: (id: string, options?: CallOptions): Promise<Live<Tank> | DeletedTank> =>
      this.#transport.get('tank', `/v1/tanks/${encodeURIComponent(id)}`, {}, options),

    telemetry: {
      list: (tankId: string, parameters: ListParameters = {}, options?: CallOptions): Listing<Telemetry> =>
        this.#list(`/v1/tanks/${encodeURIComponent(tankId)}/telemetry`, parameters, options),
    },
  };

  #list<Item extends Customer | Tank | Telemetry>(path: string, parameters: ListParameters, options?: CallOptions) {
    const fetchPage = (page: ListParameters): Promise<List<Item>> => {
      const query: Query = { ...page };
      return this.#transport.get('list', path, query, options);
    };
    return new Listing<Item>(fetchPage, parameters);
  }
}
