"""A scripted S3 for cases of command lines: the bucket `states`. {S3_STATE} is its address."""
import state_services


class Server(state_services.S3):
    def names(self):
        return {"S3_STATE": self.url}

    def note(self, request):
        """A slash behind the bucket's name means nothing."""
        return super().note(request).rstrip("/")

    def reset(self):
        """Forgets everything, for the next case."""
        with self.guard:
            self.log, self.objects, self.count = [], {}, 0

    def stop(self):
        self.__exit__()


def start(work):
    return Server()
