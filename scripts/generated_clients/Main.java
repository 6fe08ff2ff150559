import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashSet;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.CustomersApi;
import org.openapitools.client.api.FleetApi;
import org.openapitools.client.api.ManageCustomersApi;
import org.openapitools.client.model.CustomerPatch;

/** Reads a page, sends a bulk, follows the feed, and changes a customer on a condition, with the generated client. */
public class Main {
  public static void main(String[] args) throws Exception {
    URI base = URI.create(args[0]);
    String key = args[1];
    ApiClient client = new ApiClient()
        .setScheme(base.getScheme()).setHost(base.getHost()).setPort(base.getPort()).setBasePath("")
        .setRequestInterceptor(request -> request.header("X-API-Key", key));
    var page = new CustomersApi(client).listCustomers(null, null, 1, 5, null);
    System.out.println("page " + page.getData().size() + " of " + page.getTotalItems());

    // The native library writes every body as JSON, so that it cannot send lines: they are sent without it.
    String line = "{\"external_key\":\"JAVA-1\",\"name\":\"Java\",\"email\":\"java@example.com\"}\n";
    var bulk = HttpClient.newHttpClient().send(
        HttpRequest.newBuilder(base.resolve("/manage/v1/customers/bulk")).header("X-API-Key", key)
            .header("Content-Type", "application/x-ndjson").POST(HttpRequest.BodyPublishers.ofString(line)).build(),
        HttpResponse.BodyHandlers.ofString());
    System.out.println("bulk " + bulk.statusCode());

    var fleet = new FleetApi(client);
    var ids = new HashSet<String>();
    String after = null;
    for (boolean hasMore = true; hasMore; ) {
      var changes = fleet.listChanges("customer,tank", 500, after);
      changes.getData().forEach(change -> ids.add(change.getId()));
      after = changes.getNext();
      hasMore = changes.getHasMore();
    }
    var manage = new ManageCustomersApi(client);
    var customer = manage.retrieveCustomerByExternalKey("JAVA-1");
    System.out.println("feed " + ids.size() + " " + ids.contains(customer.getId()));

    CustomerPatch patch = new CustomerPatch();
    patch.setName("Java " + System.nanoTime());
    var changed = manage.updateCustomer(customer.getId(), customer.getEtag(), patch, null, null);
    System.out.println("changed " + changed.getName().equals(patch.getName()));
    try {
      manage.updateCustomer(customer.getId(), customer.getEtag(), patch, null, null);
    } catch (ApiException error) {
      System.out.println("refused " + error.getCode());
    }
  }
}
