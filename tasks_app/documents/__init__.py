"""A user's file: the look at submission, the text of its pages, the parts that go to the model."""
